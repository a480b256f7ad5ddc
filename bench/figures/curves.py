"""Figures 3, 4, 5, 6, 8, 10 and 11: an old algorithm against the new one, over message size or p.

Each on the modelled machine; 5, 6, 8 and 10 also on a simulated cluster with the same alpha and
beta, with Tutti's algorithms and with those of the same name in SMPI.
"""
import dataclasses
import math
import os

import plot
import runner

COLOURS = {"old": plot.BLUE, "new": plot.RED, "other": plot.GREEN, "more": plot.PINK}


def powers(low, high):
    return [1 << k for k in range(low.bit_length() - 1, high.bit_length())]


@dataclasses.dataclass(frozen=True)
class Figure:
    number: str
    collective: str
    p: int
    sizes: list          # n, bytes of the whole message
    algorithms: dict     # name -> old, new, other or more
    title: str
    per_message: bool = False   # x is n/p, as in the paper
    forced: tuple = ()          # Tutti's algorithms to run on the simulated cluster
    own: dict = dataclasses.field(default_factory=dict)   # SMPI's -> role
    ages: bool = True           # old and new are that in the paper, too

    def x(self, n):
        return n // self.p if self.per_message else n

    def x_label(self):
        return "bytes of one message" if self.per_message else "n, bytes of the whole message"


FIGURES = [
    Figure("04", "allgather", 64, powers(64, 1 << 17),
           {"ring": "old", "recursive_doubling": "new", "bruck": "other"},
           "Short allgather, p = 64"),
    Figure("05", "allgather", 64, powers(1 << 16, 32 << 20),
           {"recursive_doubling": "old", "ring": "new"},
           "Long allgather, p = 64", ages=False),
    Figure("06", "bcast", 64, powers(1 << 10, 8 << 20),
           {"binomial": "old", "scatter_ring": "new", "scatter_recursive_doubling": "other"},
           "Broadcast, p = 64", forced=("binomial", "scatter_ring"),
           own={"binomial_tree": "old", "scatter_LR_allgather": "new"}),
    Figure("08", "alltoall", 64, powers(64 * 8, 64 * 4096),
           {"isend_irecv": "old", "bruck": "new"},
           "Short all-to-all, p = 64", per_message=True, forced=("isend_irecv", "bruck"),
           own={"basic_linear": "old", "bruck": "new"}),
    Figure("10-short", "reduce_scatter_block", 64, powers(512, 512 << 10),
           {"reduce_scatterv": "old", "recursive_halving": "new", "pairwise": "other"},
           "Short reduce-scatter, p = 64", forced=("reduce_scatterv", "recursive_halving"),
           own={"ompi_basic_recursivehalving": "new"}),
    Figure("10-long", "reduce_scatter_block", 32, powers(64 << 10, 8 << 20),
           {"reduce_scatterv": "old", "recursive_halving": "other", "pairwise": "new"},
           "Long reduce-scatter, p = 32"),
    Figure("11", "reduce", 64, powers(256, 8 << 20),
           {"binomial": "old", "rabenseifner": "new"},
           "Reduce, p = 64"),
]


def model_curves(figure, results):
    def label(name, role):
        return f"{name}, model" + (f" ({role})" if figure.ages and role in ("old", "new") else "")
    curves = [plot.Curve(label(name, role),
                         [(figure.x(n), results[figure.p, n].us[name]) for n in figure.sizes],
                         COLOURS[role], mark={"old": 5, "new": 7}.get(role, 9),
                         width=1.2 if role == "other" else 2.5)
              for name, role in figure.algorithms.items()]
    return curves + [plot.bound([(figure.x(n), results[figure.p, n].bound_us)
                                 for n in figure.sizes])]


def cluster_jobs(figure, cluster):
    """(contender, label, role) of what is to be run."""
    jobs = [(cluster.forced(figure.collective, name), f"{name}, Tutti in SMPI",
             figure.algorithms[name], 6) for name in figure.forced]
    selected = figure.collective.removesuffix("_block")
    return jobs + [(cluster.own(selected, name), f"SMPI {name}", role, 4)
                   for name, role in figure.own.items()]


def cluster_curves(figure, cluster, gamma):
    contenders = cluster_jobs(figure, cluster)
    options = ("--dry", f"--gamma={gamma:g}", "--reps=2")
    times = cluster.run([runner.Job("myrinet", figure.p, who, figure.collective,
                                    tuple(figure.sizes), options) for who, *_ in contenders])
    return [plot.Curve(label, [(figure.x(n), times.get(("myrinet", who.name, figure.collective,
                                                        figure.p, n))) for n in figure.sizes],
                       COLOURS[role], dashed=True, mark=mark, width=1.2)
            for who, label, role, mark in contenders]


def ratios(figure, results, role="new"):
    """x -> how many times faster the algorithm of that role is than the old one."""
    old, new = (next(name for name, r in figure.algorithms.items() if r == wanted)
                for wanted in ("old", role))
    return {figure.x(n): results[figure.p, n].us[old] / results[figure.p, n].us[new]
            for n in figure.sizes}


def faster(ratio):
    """Between which of the sizes measured the faster of two changes."""
    sizes = sorted(ratio)
    better = [ratio[x] > 1 for x in sizes]
    changes = [i for i in range(1, len(sizes)) if better[i] != better[i - 1]]
    if len(changes) != 1:
        return ("everywhere" if all(better) else "nowhere") if not changes else "here and there"
    i = changes[0]
    between = f"{plot.byte_label(sizes[i - 1])} and {plot.byte_label(sizes[i])}"
    return f"{'above' if better[i] else 'below'} a size between {between}"


def ratio_numbers(name, ratio):
    return {f"first_{name}": f"{ratio[min(ratio)]:.2f}", f"last_{name}": f"{ratio[max(ratio)]:.2f}",
            f"most_{name}": f"{max(ratio.values()):.2f}", f"faster_{name}": faster(ratio)}


def make_figure(figure, model, cluster, gamma, out):
    results = model.calls(figure.collective, [(figure.p, n) for n in figure.sizes])
    curves = model_curves(figure, results)
    if figure.forced:
        curves += cluster_curves(figure, cluster, gamma)
    path = os.path.join(out, f"figure{figure.number}")
    plot.write_curves_csv(path + ".csv", figure.x_label(), curves)
    plot.draw_curves(path + ".svg", figure.title, curves, figure.x_label(),
                     "time of one call (µs)")
    ratio = ratios(figure, results)
    name = figure.number.replace("-", "_")
    numbers = ratio_numbers(name, ratio)
    if "other" in figure.algorithms.values():
        numbers |= ratio_numbers(f"{name}_other", ratios(figure, results, "other"))
    by_label = {curve.label: dict(curve.points) for curve in curves}
    for tag, prefix in (("tutti", "Tutti in"), ("smpi", "SMPI ")):
        pair = [points for label, points in by_label.items() if prefix in label]
        if len(pair) == 2:
            cluster_ratio = {x: pair[0][x] / pair[1][x] for x in pair[0]
                             if pair[0][x] and pair[1].get(x)}
            numbers |= ratio_numbers(f"{name}_{tag}", cluster_ratio)
    return numbers


# ---- Figure 3 ----

BLOCK = 16  # bytes per rank, as in the paper
PS = list(range(2, 65))


def make_figure_3(model, out):
    results = model.calls("allgather", [(p, BLOCK * p) for p in PS])
    time = {(name, p): results[p, BLOCK * p].us[name] for p in PS
            for name in ("recursive_doubling", "bruck")}
    powers_of_two = [p for p in PS if p & (p - 1) == 0]
    curves = [
        plot.Curve("recursive_doubling", [(p, time["recursive_doubling", p]) for p in PS],
                   plot.BLUE, mark=5),
        plot.Curve("bruck", [(p, time["bruck", p]) for p in PS], plot.RED, width=1.2),
        plot.Curve("p a power of two: both are the same",
                   [(p, time["bruck", p]) for p in powers_of_two], "#000000", points_only=True,
                   mark=6),
        plot.bound([(p, results[p, BLOCK * p].bound_us) for p in PS])]
    path = os.path.join(out, "figure03")
    plot.write_curves_csv(path + ".csv", "p", [curves[0], curves[1], curves[3]])
    plot.draw_curves(path + ".svg", "Allgather of 16 bytes per rank, model", curves,
                     "p, number of ranks", "time of one call (µs)", bytes_on_x=False,
                     settings="unset logscale y\nset xrange [0:66]\nset yrange [0:130]\n"
                              "set xtics 8\n")
    others = [p for p in PS if p not in powers_of_two]
    gain = {p: time["recursive_doubling", p] / time["bruck", p] for p in PS}
    best = max(others, key=lambda p: gain[p])
    return {"bruck_wins": f"{sum(gain[p] > 1 for p in others)} of {len(others)}",
            "bruck_gain_least": f"{min(gain[p] for p in others):.2f}",
            "bruck_rounds": str(results[best, BLOCK * best].details["bruck"]["rounds"]),
            "doubling_rounds":
                str(results[best, BLOCK * best].details["recursive_doubling"]["rounds"]),
            "bruck_gain_most": f"{gain[best]:.2f}", "bruck_gain_most_p": str(best),
            "bruck_ties": f"{sum(math.isclose(gain[p], 1, rel_tol=1e-9) for p in powers_of_two)} "
                          f"of {len(powers_of_two)}"}


# ---- Figure 5 on networks on which near ranks are nearer ----

TREES = {
    "myrinet": "one switch",
    "myrinet-full": "full fat tree",
    "myrinet-full-random": "the same, random ranks",
    "myrinet-tapered": "2:1 tapered tree",
}
TREE_SIZES = powers(64 << 10, 32 << 20)
LONG = 8 << 20


def make_neighbours(cluster, out):
    who = {name: cluster.forced("allgather", name) for name in ("recursive_doubling", "ring")}
    times = cluster.run([runner.Job(platform, 64, contender, "allgather", tuple(TREE_SIZES),
                                    ("--dry", "--reps=2"))
                         for platform in TREES for contender in who.values()])
    colours = dict(zip(TREES, ("#000000", plot.GREEN, plot.PINK, plot.RED)))
    def bandwidth(platform, name, n):
        us = times.get((platform, who[name].name, "allgather", 64, n))
        return n / us if us else None
    curves = [plot.Curve(f"{name}, {about}",
                         [(n, bandwidth(platform, name, n)) for n in TREE_SIZES],
                         colours[platform], dashed=name == "ring",
                         mark=6 if name == "ring" else 5, width=1.8)
              for platform, about in TREES.items() for name in who]
    path = os.path.join(out, "figure05-neighbours")
    plot.write_curves_csv(path + ".csv", "n, bytes (bandwidths in MB/s)", curves)
    plot.draw_curves(path + ".svg", "Long allgather on 64 simulated nodes, four networks", curves,
                     "n, bytes of the whole message", "n / time (MB/s)",
                     settings="unset logscale y\nset yrange [0:290]\n"
                              "set key at graph 1.02,0.5 left center reverse Left samplen 2\n"
                              "set rmargin 40\n")
    return gains("ring", who, times, "allgather")


def gains(name, who, times, collective):
    """How many times faster the second of two is than the first, per platform."""
    return {f"{name}_gain_{platform.replace('-', '_')}":
            f"{first / second:.2f}" for platform in TREES
            for first, second in [[times[platform, w.name, collective, 64, LONG]
                                   for w in who.values()]]}


def make_reduce_scatter_neighbours(cluster, gamma):
    """4.4: pairwise exchange is said to beat recursive halving for the same reason."""
    collective = "reduce_scatter_block"
    who = {name: cluster.forced(collective, name) for name in ("recursive_halving", "pairwise")}
    times = cluster.run([runner.Job(platform, 64, contender, collective, (LONG,),
                                    ("--dry", f"--gamma={gamma:g}", "--reps=2"))
                         for platform in TREES for contender in who.values()])
    return gains("pairwise", who, times, collective)


# ---- The limit of (lg p)/2 ----

def make_limit(model):
    """Van de Geijn's broadcast against the binomial tree at 64 MiB."""
    n = 64 << 20
    results = model.calls("bcast", [(p, n) for p in (8, 16, 32, 64, 128)])
    return {"limit": ", ".join(
        f"{result.us['binomial'] / result.us['scatter_ring']:.2f} at p = {p}"
        for (p, _), result in sorted(results.items()))}


def make(model, cluster, gamma, out):
    numbers = make_figure_3(model, out)
    for figure in FIGURES:
        numbers |= make_figure(figure, model, cluster, gamma, out)
    return (numbers | make_neighbours(cluster, out)
            | make_reduce_scatter_neighbours(cluster, gamma) | make_limit(model))
