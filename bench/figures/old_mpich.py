"""Figure 17: how many times faster the best of the new algorithms (recursive doubling left out, as
in the paper) is than the old ones of MPICH-1, reduce by a binomial tree and allreduce by reduce and
broadcast, on the modelled machine."""
import os

import plot

PS = [3, 8, 13, 16, 33, 64, 100, 128]
SIZES = [1 << k for k in range(8, 24)]
OLD = {"allreduce": "reduce_bcast", "reduce": "binomial"}
NEW = ("rabenseifner", "halving_doubling", "binary_blocks", "ring")
COLOURS = (plot.SKY, plot.BLUE, plot.YELLOW, plot.GREEN, plot.RED, plot.PINK, "#999999", "#000000")


def best_new(result):
    return min((result.us[name], name) for name in NEW if name in result.us)


def make_one(collective, model, out):
    results = model.calls(collective, [(p, n) for p in PS for n in SIZES])
    ratio = {key: result.us[OLD[collective]] / best_new(result)[0]
             for key, result in results.items()}
    curves = [plot.Curve(f"p = {p}", [(n, ratio[p, n]) for n in SIZES], colour,
                         dashed=p & (p - 1) != 0, width=1.8)
              for p, colour in zip(PS, COLOURS)]
    path = os.path.join(out, f"figure17-{collective}")
    plot.draw_curves(path + ".svg", f"{collective.capitalize()}: old algorithm of MPICH-1 against "
                     "the best new one (model)", curves, "n, bytes of the vector",
                     "time of the old / time of the best new one",
                     settings="set format y '%g'\nset yrange [0.5:8]\n"
                              "set ytics (0.5, 1, 1.5, 2, 3, 4, 5, 6, 7)\n"
                              "set arrow from graph 0,first 1 to graph 1,first 1 nohead lw 2 "
                              "lc 'black'\n")
    plot.write_csv(path + ".csv", ["p", "n", "old us", "best new", "best new us", "ratio"],
                   [[p, n, results[p, n].us[OLD[collective]], best_new(results[p, n])[1],
                     best_new(results[p, n])[0], ratio[p, n]] for p, n in sorted(results)])
    name = f"old_{collective}"
    return {f"{name}_{p}_{label}": f"{ratio[p, n]:.1f}"
            for p in PS for n, label in ((32 << 10, "32k"), (1 << 20, "1m"))}


def make(model, out):
    return make_one("allreduce", model, out) | make_one("reduce", model, out)
