"""The table of the cluster demo: one row per collective and size, one column per contender."""
import runner
import summarise
import sweep

LABELS = {"tutti": "Tutti", **sweep.PEERS}


class Cells(summarise.Point):
    """One row of the table: counting times, and words where there is none."""

    def __init__(self):
        super().__init__()
        self.words = {}

    def cell(self, name):
        if name in self.times:
            return f"{self.times[name]:.1f}"
        return self.words.get(name, "-")


class Table:
    def __init__(self, rows, platform):
        self.rows = [row for row in rows if row.platform == platform]
        self.bad = runner.untrusted(self.rows)
        self.points = {}
        for row in self.rows:
            self.enter(row)

    def enter(self, row):
        point = self.points.setdefault((row.collective, row.p, row.n), Cells())
        if row.bound_bandwidth_us is not None:
            point.bound = row.bound_us
        if runner.counts(row, self.bad):
            point.times[row.contender] = row.t_us
        elif row.outcome.startswith("wrong") or row.too_fast:
            point.words[row.contender] = "wrong"
        elif row.t_us is not None:  # right here, wrong at another size: shown, but does not count
            point.words[row.contender] = f"({row.t_us:.1f})"
        else:
            point.words[row.contender] = row.outcome

    def point(self, collective, p, n):
        return self.points.get((collective, p, n), Cells())

    def lines(self, p, collectives, sizes):
        columns = [f"{'collective':<21s} {'n':>4s}"] + [f"{label:>9s}" for label in LABELS.values()]
        head = " ".join(columns) + (f"  {'best peer':<9s} {'Tutti speed-up':>14s} {'bound':>8s} "
                                    f"{'Tutti/bound':>11s}")
        under = f"{'':{head.index('Tutti speed-up')}s}over best peer"
        lines = [f"p = {p}", head, under]
        for collective in collectives:
            for n in [0] if collective == "barrier" else sizes:
                if (collective, p, n) in self.points:
                    lines.append(self.line(collective, p, n))
        return lines + [self.summary(p, sizes)]

    def line(self, collective, p, n):
        point = self.point(collective, p, n)
        cells = " ".join(f"{point.cell(name):>9s}" for name in LABELS)
        peer = LABELS[point.best_peer[0]] if point.best_peer else "none"
        up = f"{point.speed_up:.2f}" if point.speed_up else "-"
        ratio = f"{point.tutti / point.bound:.2f}" if point.tutti and point.bound else "-"
        size = runner.size_name(n) if n else ""
        return (f"{collective:<21s} {size:>4s} {cells}  {peer:<9s} {up:>14s} {point.bound:8.1f} "
                f"{ratio:>11s}")

    def summary(self, p, sizes):
        ups = [point.speed_up for (_, at, n), point in self.points.items()
               if at == p and n in [0, *sizes] and point.speed_up]
        if not ups:
            return "No row has both a time of Tutti and of a peer."
        faster = sum(up > 1.01 for up in ups)
        slower = sum(up < 0.99 for up in ups)
        return (f"{len(ups)} rows: Tutti faster than the best peer in {faster}, within 1% in "
                f"{len(ups) - faster - slower}, slower in {slower}; geometric mean of the "
                f"speed-ups {summarise.geometric_mean(ups):.2f}")

    def notes(self):
        notes = ["scan and exscan: SMPI has one flat algorithm whatever the selector, so those of",
                 "MPICH and Open MPI are written out in reference_scan.hpp; '-': none."]
        failures = [row for row in self.rows
                    if row.outcome not in ("right", "unchecked") or row.too_fast]
        if not failures:
            return notes + ["No contender failed or answered wrongly."]
        notes.append("Not counted:")
        notes += [f"  {LABELS[r.contender]} {r.collective} p={r.p} {runner.size_name(r.n)}: "
                  f"{r.outcome}" for r in failures]
        notes.append("A peer's faults are those of SMPI's version of its algorithms, not of the "
                     "library.")
        if any(row.outcome.startswith("wrong") for row in failures):
            notes.append("A time in brackets is of a peer that answers wrongly at another size.")
        return notes
