"""Figures 2 to 4 of Fan et al. 2022: what the radix of Bruck's all-to-all changes.

Rounds, blocks and predicted times are those of `tutti explain`, on a machine like the cluster that
is simulated. Copies cost nothing there, so the three forms of the algorithm take the same time and
one is drawn. In place of the vendor's library, the best of four (SMPI's selectors).
"""
import functools
import json
import os
import subprocess

import plot
import runner
import sweep

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = os.path.join(HERE, "edr.json")
PLATFORM = "edr"
MANY = 4096
FEW = 512                                   # as many as are simulated
PS = [64, 128, 256, 512]
RADICES = [2, 3, 4, 8, 16, 23, 32, 64]      # 23: the root of FEW, rounded up
BLOCKS = [64, 256, 1024, 4096]
WARM_UP = 16                                # the first call sets a communicator up
OPTIONS = ("--dry", "--gamma=0", "--reps=2")
ROOT = {64: 8, 128: 12, 256: 16, 512: 23, 4096: 64}
RADIX_AXIS = "set logscale x 2\nset xtics 2\n"
KEY = plot.KEY_BELOW.format(columns=2)


class Explained:
    """`tutti explain alltoall --json`, by p and block."""

    def __init__(self, tutti):
        self.tutti = tutti

    @functools.cache
    def __call__(self, p, block):
        command = [self.tutti, "explain", "alltoall", "--ranks", str(p), "--bytes", str(p * block),
                   "--machine", MACHINE, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return {each["algorithm"]: each for each in json.loads(done.stdout)["candidates"]}

    def curve(self, p, block):
        """radix -> rounds, blocks sent, microseconds."""
        return {each["radix"]: (each["rounds"], each["bytes"] / block,
                                each["predicted_seconds"] * 1e6)
                for each in self(p, block)["bruck_radix"]["curve"]}

    def us(self, p, block, algorithm):
        return self(p, block)[algorithm]["predicted_seconds"] * 1e6


class Simulated:
    """Microseconds on the simulated cluster."""

    def __init__(self, cluster):
        self.cluster, self.times = cluster, {}

    def run(self, p, contenders, blocks):
        sizes = tuple(p * block for block in (WARM_UP, *blocks))
        self.times |= self.cluster.run([runner.Job(PLATFORM, p, who, "alltoall", sizes, OPTIONS)
                                        for who in contenders])

    def us(self, p, block, name):
        return self.times.get((PLATFORM, name, "alltoall", p, p * block))

    def radix(self, p, block, radix):
        return self.us(p, block, f"tutti bruck_radix:{radix}")

    def best_radix(self, p, block):
        return min((r for r in RADICES if self.radix(p, block, r)),
                   key=lambda r: self.radix(p, block, r))

    def library(self, p, block):
        return min((us for s in sweep.PEERS if (us := self.us(p, block, s))), default=None)


def simulate(cluster):
    simulated = Simulated(cluster)
    vendors = [cluster.vendor(selector) for selector in sweep.PEERS]
    own = sweep.contender("tutti", cluster.build)
    radices = [cluster.forced("alltoall", f"bruck_radix:{r}") for r in RADICES]
    simulated.run(FEW, [own, *radices, *vendors], BLOCKS)
    for p in PS:
        if p != FEW:
            root = cluster.forced("alltoall", f"bruck_radix:{ROOT[p]}")
            simulated.run(p, [own, root, *vendors], BLOCKS)
    return simulated


def draw(out, name, title, curves, x_label, y_label, **more):
    path = os.path.join(out, name)
    plot.write_curves_csv(path + ".csv", x_label, curves)
    plot.draw_curves(path + ".svg", title, curves, x_label, y_label, **more)


def draw_counts(explained, out):
    curve = explained.curve(MANY, 64)
    draw(out, "fan2", f"Bruck all-to-all over the radix, p = {MANY}",
         [plot.Curve("numC: rounds", [(r, c) for r, (c, _, _) in curve.items()], plot.YELLOW),
          plot.Curve("numD of all rounds: blocks sent",
                     [(r, d) for r, (_, d, _) in curve.items()], plot.BLUE)],
         "radix", "number", bytes_on_x=False, settings=RADIX_AXIS + KEY)


def draw_radix(explained, simulated, out):
    few = []
    for block, colour in ((64, plot.BLUE), (1024, plot.RED)):
        few += [plot.Curve(f"{block} B", [(r, simulated.radix(FEW, block, r)) for r in RADICES],
                           colour),
                plot.Curve(f"{block} B, best of four libraries",
                           [(r, simulated.library(FEW, block)) for r in RADICES], colour,
                           dashed=True, mark=0, width=1.5)]
    draw(out, "fan3", f"Bruck all-to-all over the radix, p = {FEW}, simulated cluster", few,
         "radix", "time of one call (µs)", bytes_on_x=False, settings=RADIX_AXIS + KEY)
    many = []
    for block, colour in ((64, plot.BLUE), (1024, plot.RED)):
        curve = explained.curve(MANY, block)
        many += [plot.Curve(f"{block} B", [(r, us) for r, (_, _, us) in curve.items()], colour),
                 plot.Curve(f"{block} B, isend_irecv",
                            [(r, explained.us(MANY, block, "isend_irecv")) for r in curve], colour,
                            dashed=True, mark=0, width=1.5)]
    draw(out, "fan3-predicted", f"Bruck all-to-all over the radix, p = {MANY}, predicted", many,
         "radix", "time of one call (µs)", bytes_on_x=False, settings=RADIX_AXIS + KEY)


def compared(simulated, points, root):
    return [plot.Curve("the default choice",
                       [(x, simulated.us(p, b, "tutti")) for x, p, b in points], plot.RED),
            plot.Curve(root, [(x, simulated.radix(p, b, ROOT[p])) for x, p, b in points],
                       plot.BLUE, mark=5, width=1.5),
            plot.Curve("best of four libraries",
                       [(x, simulated.library(p, b)) for x, p, b in points], "#000000", mark=6,
                       width=1.2)]


def draw_sizes(simulated, out):
    draw(out, "fan4a", f"All-to-all, p = {FEW}, simulated cluster",
         compared(simulated, [(b, FEW, b) for b in BLOCKS], f"bruck_radix, radix {ROOT[FEW]}"),
         "bytes of one block", "time of one call (µs)", settings=KEY)


def draw_ranks(simulated, out):
    draw(out, "fan4b", "All-to-all, blocks of 1024 bytes, simulated cluster",
         compared(simulated, [(p, p, 1024) for p in PS], "bruck_radix, radix ceil(sqrt(p))"),
         "p, number of ranks", "time of one call (µs)", bytes_on_x=False,
         settings=RADIX_AXIS + KEY + f"set xtics ({', '.join(map(str, PS))})\n")


def less(us, other):
    """How many percent less time."""
    return f"{100 * (1 - us / other):.0f}"


def numbers_of(explained, simulated):
    curve = explained.curve(MANY, 64)
    numbers = {"fan2_rounds_2": f"{curve[2][0]:.0f}", "fan2_blocks_2": f"{curve[2][1]:.0f}",
               "fan2_rounds_root": f"{curve[64][0]:.0f}",
               "fan2_blocks_root": f"{curve[64][1]:.0f}"}
    for block in (64, 1024):
        best = simulated.best_radix(FEW, block)
        library = simulated.library(FEW, block)
        many = explained.curve(MANY, block)
        best_of_many = min(many, key=lambda r: many[r][2])
        isend = explained.us(MANY, block, "isend_irecv")
        numbers |= {f"fan3_best_{block}": str(best),
                    f"fan3_less_{block}": less(simulated.radix(FEW, block, best), library),
                    f"fan3_root_{block}": less(simulated.radix(FEW, block, ROOT[FEW]), library),
                    f"fan3_two_{block}": less(simulated.radix(FEW, block, 2), library),
                    f"fan3_many_best_{block}": str(best_of_many),
                    f"fan3_many_less_{block}": less(many[best_of_many][2], isend),
                    f"fan3_many_root_{block}": less(many[64][2], isend)}
    for name, points in (("fan4a", [(FEW, b) for b in BLOCKS]), ("fan4b", [(p, 1024) for p in PS])):
        numbers[name] = ", ".join(less(simulated.us(p, b, "tutti"), simulated.library(p, b))
                                  for p, b in points)
    return numbers


def make(tutti, cluster, out):
    explained, simulated = Explained(tutti), simulate(cluster)
    draw_counts(explained, out)
    draw_radix(explained, simulated, out)
    draw_sizes(simulated, out)
    draw_ranks(simulated, out)
    return numbers_of(explained, simulated)
