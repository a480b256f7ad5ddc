"""Times of every algorithm on the modelled machine: `tutti simulate --json`, several at once."""
import concurrent.futures
import dataclasses
import json
import subprocess


@dataclasses.dataclass(frozen=True)
class Simulated:
    """One call: microseconds by algorithm (those that were not too large to simulate) and the lower
    bound; rounds, messages and bytes by algorithm in `details`."""
    us: dict
    bound_us: float
    details: dict


class Model:
    def __init__(self, tutti, machine, parallel):
        self.tutti, self.machine, self.parallel = tutti, machine, parallel

    def call(self, collective, p, n):
        command = [self.tutti, "simulate", collective, "--ranks", str(p), "--bytes", str(n),
                   "--machine", self.machine, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")
        result = json.loads(done.stdout)
        known = {a["algorithm"]: a for a in result["algorithms"] if a["simulated"]}
        return Simulated({name: a["seconds"] * 1e6 for name, a in known.items()},
                         result["lower_bound_seconds"] * 1e6, known)

    def calls(self, collective, points):
        """(p, n) -> Simulated. The largest p first, so that both processors are busy to the end."""
        points = sorted(set(points), reverse=True)
        with concurrent.futures.ThreadPoolExecutor(self.parallel) as pool:
            results = pool.map(lambda point: self.call(collective, *point), points)
            return dict(zip(points, results))
