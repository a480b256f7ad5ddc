"""Times on simulated clusters (bench/cluster): Tutti with an algorithm forced, or SMPI's own."""
import os
import tempfile

import platforms
import plot
import runner
import sweep


class Cluster:
    """Runs jobs of bench/cluster and keeps every row in `rows`."""

    def __init__(self, build, parallel, timeout=120.0):
        self.build, self.parallel, self.timeout = build, parallel, timeout
        self.rows = []

    def forced(self, collective, algorithm):
        """Tutti, with this algorithm."""
        tutti = sweep.contender("tutti", self.build)
        return runner.Contender(f"tutti {algorithm}", tutti.program, tutti.selector,
                                tutti.privatization,
                                environment=(("TUTTI_FORCE", f"{collective}={algorithm}"),))

    def own(self, collective, algorithm):
        """SMPI's algorithm of that name."""
        plain = sweep.contender("mpich", self.build)
        return runner.Contender(f"smpi {algorithm}", plain.program, "mpich",
                                settings=(f"smpi/{collective}:{algorithm}",))

    def vendor(self, selector):
        return sweep.contender(selector, self.build)

    def run(self, jobs):
        """(platform, contender, collective, p, n) -> microseconds, of results that count."""
        with tempfile.TemporaryDirectory(prefix="platforms.") as directory:
            platforms.write_all(directory)
            rows = runner.Runner(directory, self.parallel, self.timeout).run(jobs)
        self.rows += rows
        bad = runner.untrusted(rows)
        return {(r.platform, r.contender, r.collective, r.p, r.n): r.t_us
                for r in rows if runner.counts(r, bad)}

    def write_csv(self, path):
        plot.write_csv(path, ["platform", "contender", "collective", "p", "n", "us", "outcome"],
                       [[r.platform, r.contender, r.collective, r.p, r.n, r.t_us,
                         "too fast" if r.too_fast else r.outcome] for r in self.rows])

    def failures(self):
        return [r for r in self.rows if r.outcome not in ("right", "unchecked") or r.too_fast]


def check_build(build):
    for name in ("tutti", "mpich"):
        program = sweep.contender(name, build).program
        if not os.access(program, os.X_OK):
            raise SystemExit(f"{program} is not there: scripts/build simgrid")
