"""Figures 2 to 5 of Sanders, Speck and Traeff 2007: the bandwidth that broadcasts and reductions
reach over the size of the message, on 28 and 150 nodes.

On simulated clusters like the paper's, each algorithm with the parameter the model gives it there;
beside them the best of four libraries (SMPI's selectors) and the bound.
"""
import dataclasses
import json
import os

import model as models
import plot
import runner
import sweep

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [1 << k for k in range(13, 25)]
COLOURS = {"binomial": plot.SKY, "scatter_ring": plot.GREEN, "butterfly": plot.GREEN,
           "chain": plot.BLUE, "binary_tree": plot.YELLOW, "circulant": plot.PINK,
           "circulant_turns": plot.PINK,
           "two_tree": plot.RED}
LONG = 16 << 20


@dataclasses.dataclass(frozen=True)
class Figure:
    number: str
    collective: str
    platform: str
    machine: str        # the platform's alpha, beta and eager limit, and gamma
    p: int
    algorithms: tuple
    title: str


BROADCASTS = ("binomial", "scatter_ring", "chain", "binary_tree", "circulant", "two_tree")
REDUCTIONS = ("binomial", "butterfly", "chain", "binary_tree", "circulant_turns", "two_tree")
FIGURES = [
    Figure("2", "bcast", "myrinet", "myrinet2000.json", 28, BROADCASTS,
           "Broadcast, 28 nodes, 250 MB/s"),
    Figure("3", "bcast", "edr", "edr.json", 150, BROADCASTS, "Broadcast, 150 nodes, 12.5 GB/s"),
    Figure("4", "reduce", "myrinet", "myrinet2000.json", 28, REDUCTIONS,
           "Reduction, 28 nodes, 250 MB/s"),
    Figure("5", "reduce", "edr", "edr.json", 150, REDUCTIONS, "Reduction, 150 nodes, 12.5 GB/s"),
]


def forced(name, details):
    parameter = details[name]["parameter"]
    return f"{name}:{parameter}" if parameter else name


def times_of(figure, model, cluster):
    """(algorithm or library, n) -> microseconds, and the bound's by n."""
    calls = model.calls(figure.collective, [(figure.p, n) for n in SIZES])
    with open(model.machine, encoding="utf-8") as source:
        gamma = json.load(source)["gamma"]
    options = ("--dry", f"--gamma={gamma:g}", "--reps=2")
    jobs, names = [], {}
    for n in SIZES:
        for algorithm in figure.algorithms:
            who = cluster.forced(figure.collective, forced(algorithm, calls[figure.p, n].details))
            names[who.name, n] = algorithm
            jobs.append(runner.Job(figure.platform, figure.p, who, figure.collective, (n,),
                                   options))
    jobs += [sweep.job(figure.platform, figure.p, cluster.vendor(selector), figure.collective,
                       SIZES, options) for selector in sweep.PEERS]
    found = {}
    for (_, who, _, _, n), us in cluster.run(jobs).items():
        found[names.get((who, n), who), n] = us
    return found, {n: calls[figure.p, n].bound_us for n in SIZES}


def curves_of(figure, times, bound):
    curves = [plot.Curve(name, [(n, bandwidth(n, times.get((name, n)))) for n in SIZES],
                         COLOURS[name], mark=7 if name == "two_tree" else 5,
                         width=2.5 if name == "two_tree" else 1.5) for name in figure.algorithms]
    libraries = {n: min((times[s, n] for s in sweep.PEERS if times.get((s, n))), default=None)
                 for n in SIZES}
    return curves + [
        plot.Curve("best of four libraries", [(n, bandwidth(n, libraries[n])) for n in SIZES],
                   "#000000", mark=6, width=1.2),
        plot.bound([(n, bandwidth(n, bound[n])) for n in SIZES])]


def bandwidth(n, us):
    return n / us if us else None  # MB/s


def numbers_of(figure, times, bound):
    """Of the longest message: which share of the bound's bandwidth two_tree has, and how many
    times as long as two_tree the others take."""
    key = f"sanders{figure.number}"
    longest = {name: times.get((name, LONG)) for name in (*figure.algorithms, *sweep.PEERS)}
    longest = {name: us for name, us in longest.items() if us}
    two = longest["two_tree"]
    numbers = {f"{key}_share": f"{bound[LONG] / two:.2f}",
               f"{key}_library": f"{min(longest[s] for s in sweep.PEERS if s in longest) / two:.2f}"}
    for name in figure.algorithms:
        if name in longest and name != "two_tree":
            numbers[f"{key}_{name}"] = f"{longest[name] / two:.2f}"
    return numbers


def make(tutti, cluster, out):
    numbers = {}
    for figure in FIGURES:
        model = models.Model(tutti, os.path.join(HERE, figure.machine), cluster.parallel)
        times, bound = times_of(figure, model, cluster)
        curves = curves_of(figure, times, bound)
        path = os.path.join(out, f"sanders{figure.number}")
        plot.write_curves_csv(path + ".csv", "n", curves)
        plot.draw_curves(path + ".svg", figure.title, curves, "n, bytes of the whole message",
                         "bandwidth n/t (MB/s)", settings=plot.KEY_BELOW.format(columns=4))
        numbers |= numbers_of(figure, times, bound)
    return numbers
