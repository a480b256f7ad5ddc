"""Figures 14 and 15: the fastest allreduce for every p and n, and the bandwidth at 32 KB, on the
modelled machine. Everything is simulated, nothing taken from formulas: binary blocks' cost depends
on p in ways its formula does not say."""
import json
import os
import tempfile

import plot
from model import Model

# Allreduces of the paper, in the order in which ties are broken. Two fold a p that is no power of
# two differently and are else the same.
PAPER = {
    "recursive_doubling": ("recursive_doubling",),
    "reduce_bcast": ("reduce_bcast",),
    "halving_doubling": ("halving_doubling", "rabenseifner"),
    "binary_blocks": ("binary_blocks",),
    "ring": ("ring",),
}
LABELS = {
    "recursive_doubling": (plot.BLUE, "recursive doubling"),
    "reduce_bcast": ("#999999", "binomial tree (reduce, bcast)"),
    "halving_doubling": (plot.GREEN, "halving and doubling"),
    "binary_blocks": (plot.YELLOW, "binary blocks"),
    "ring": (plot.RED, "ring"),
    "circulant": (plot.PINK, "circulant (not in the paper)"),
}
MARKS = dict(zip(LABELS, (5, 4, 7, 9, 11, 6)))

SIZES = [1 << k for k in range(3, 24)]
BUFFER = 32 << 10
# The paper's, at 32 KB on the Cray T3E.
HALVING_FASTER = [33, 65, 66, 97, 128, 129, 130, 131]  # than binary blocks
RING_FASTEST = [3, 5, 7, 9, 10, 11, 17]
# Above 64 a sample in which odd and even p take turns: binary blocks dislikes odd ones.
PS = sorted({*range(2, 65), *range(66, 129, 3), *range(133, 257, 5), *HALVING_FASTER,
             100, 127, 192, 255, 256})


def class_times(result, with_circulant):
    """us by class; in a class the faster counts."""
    classes = PAPER | ({"circulant": ("circulant",)} if with_circulant else {})
    return {name: min(result.us[a] for a in members if a in result.us)
            for name, members in classes.items() if any(a in result.us for a in members)}


def winner(result, with_circulant=False):
    times = class_times(result, with_circulant)
    least = min(times.values())
    return next(name for name, us in times.items() if us <= least * (1 + 1e-6))


def delta_expo_max(p):
    bits = [k for k in range(p.bit_length()) if p >> k & 1]
    return max((high - low for low, high in zip(bits, bits[1:])), default=0)


def make_maps(results, out):
    cells = {key: winner(result) for key, result in results.items()}
    with_circulant = {key: winner(result, True) for key, result in results.items()}
    names = sorted({a for result in results.values() for a in result.us})
    plot.write_csv(os.path.join(out, "figure14.csv"),
                   ["p", "n", "fastest", "fastest with circulant", *[f"{a} us" for a in names],
                    "bound us"],
                   [[p, n, cells[p, n], with_circulant[p, n],
                     *[results[p, n].us.get(a) for a in names], results[p, n].bound_us]
                    for p, n in sorted(results)])
    paper_labels = {name: LABELS[name] for name in PAPER}
    plot.draw_map(os.path.join(out, "figure14.svg"),
                  "The fastest allreduce among the algorithms of the paper (model)", cells,
                  paper_labels, PS, SIZES)
    plot.draw_map(os.path.join(out, "figure14-circulant.svg"),
                  "The same, and circulant (model)", with_circulant, LABELS, PS, SIZES)
    return cells, with_circulant


def share(keys, wanted):
    keys = list(keys)
    good = sum(map(wanted, keys))
    return f"{good} of {len(keys)}"


def map_numbers(results, cells, with_circulant):
    odd = [p for p in PS if p & (p - 1)]
    long = [(p, n) for p in odd for n in SIZES if p > 32 and n >= 16 << 10]
    small_delta = [(p, n) for p, n in long if delta_expo_max(p) < (n.bit_length() - 1) / 2 - 2.5]
    large_delta = [key for key in long if key not in set(small_delta)]

    def blocks_win(key):
        times = class_times(results[key], False)
        return times["binary_blocks"] < times["halving_doubling"]
    ring_cells = [(p, n) for (p, n), name in cells.items() if name == "ring"]
    numbers = {
        "short_rd": share([k for k in cells if k[1] <= 32],
                          lambda k: cells[k] == "recursive_doubling"),
        "tree_cells": str(sum(name == "reduce_bcast" for name in cells.values())),
        "rd_up_to_1k": share([k for k in cells if 32 < k[1] <= 1024],
                             lambda k: cells[k] == "recursive_doubling"),
        "ring_max_p": str(max((p for p, _ in ring_cells), default=0)),
        "ring_max_p_32k": str(max((p for p, n in ring_cells if n <= BUFFER), default=0)),
        "ring_cells": f"{len(ring_cells)} of {len(cells)}",
        "delta_small": share(small_delta, blocks_win),
        "delta_large": share(large_delta, lambda key: not blocks_win(key)),
        "delta_small_all": share(small_delta, lambda key: cells[key] == "binary_blocks"),
        "delta_small_ring": share(small_delta, lambda key: cells[key] == "ring"),
        "delta_small_to_64k": share([k for k in small_delta if k[1] <= 64 << 10], blocks_win),
        "delta_small_above": share([k for k in small_delta if k[1] > 64 << 10], blocks_win),
        "left_by_circulant": left_by_circulant(with_circulant),
        "circulant_cells": share(with_circulant,
                                 lambda key: with_circulant[key] == "circulant"),
        "p_count": str(len(PS)),
    }
    for low, high in ((0, 4), (4, 99)):
        keys = [(p, n) for p, n in long if low < delta_expo_max(p) <= high]
        numbers[f"blocks_win_delta_{low}_{high}"] = share(keys, blocks_win)
    return numbers


def left_by_circulant(winners):
    """Where the binary blocks and the ring are still fastest when circulant is there."""
    left = {name: sorted({p for (p, _), who in winners.items() if who == name})
            for name in ("binary_blocks", "ring")}
    return "; ".join(f"{LABELS[name][1]} " + (f"at p = {', '.join(map(str, ps))}" if ps
                                              else "nowhere") for name, ps in left.items())


def fold_numbers(results):
    """The two ways to fold a p that is no power of two, at 32 KB."""
    odd = [p for p in PS if p & (p - 1)]
    us = {p: results[p, BUFFER].us for p in odd}
    others = ("recursive_doubling", "reduce_bcast", "binary_blocks", "ring")
    best = [p for p in HALVING_FASTER if p in odd
            and us[p]["halving_doubling"] < min(us[p][name] for name in others)]
    numbers = {"whole_fold_faster": share(odd, lambda p: us[p]["rabenseifner"]
                                          < us[p]["halving_doubling"]),
               "whole_fold_faster_even": share([p for p in odd if p % 2 == 0],
                                               lambda p: us[p]["rabenseifner"]
                                               < us[p]["halving_doubling"]),
               "halving_alone_listed": ", ".join(map(str, best))}
    for p in (32, 64, 128):
        numbers[f"cliff{p + 1}"] = (
            f"{results[p, BUFFER].us['halving_doubling'] / us[p + 1]['halving_doubling']:.2f}")
    return numbers


def make_tree(simplex):
    """5.4: tree and recursive doubling where a message one way takes half of one both ways."""
    points = [(p, n) for p in (32, 33, 48) for n in (64, 256, 1024)]
    ratios = [result.us["reduce_bcast"] / result.us["recursive_doubling"]
              for result in simplex.calls("allreduce", points).values()]
    return {"simplex_tree": f"{min(ratios):.3f} to {max(ratios):.3f}"}


def make_sensitivity(model):
    """The two lists of 5.4 on machines with other alphas: at how many p of each they hold."""
    with open(model.machine, encoding="utf-8") as source:
        machine = json.load(source)
    numbers = {}
    for us in (3, 5, 20, 40):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as other:
            json.dump(machine | {"alpha": us * 1e-6}, other)
            other.flush()
            results = Model(model.tutti, other.name, model.parallel).calls(
                "allreduce", [(p, BUFFER) for p in HALVING_FASTER + RING_FASTEST])
        best = {p: winner(result) for (p, _), result in results.items()}
        odd = [p for p in HALVING_FASTER if p & (p - 1)]
        numbers[f"halving_alpha_{us}"] = share(odd, lambda p: best[p] == "halving_doubling")
        numbers[f"ring_alpha_{us}"] = share(RING_FASTEST, lambda p: best[p] == "ring")
    return numbers


def make_bandwidth(results, out):
    times = {p: class_times(results[p, BUFFER], True) for p in PS}
    curves = [plot.Curve(label, [(p, BUFFER / times[p][name]) for p in PS], colour,
                         mark=MARKS[name], width=1.2) for name, (colour, label) in LABELS.items()]
    curves.append(plot.Curve("upper bound", [(p, BUFFER / results[p, BUFFER].bound_us)
                                             for p in PS], "#000000", dashed=True, mark=0))
    path = os.path.join(out, "figure15")
    plot.write_curves_csv(path + ".csv", "p (bandwidths in MB/s)", curves)
    plot.draw_curves(path + ".svg", "Allreduce of 32 KiB: bandwidth (model)", curves,
                     "p, number of ranks", "32 KiB / time (MB/s)",
                     bytes_on_x=False,
                     settings="set logscale x 2\nset xrange [1.9:260]\n"
                              "set xtics (2, 3, 4, 5, 7, 9, 11, 13, 17, 24, 33, 48, 65, 97, 129,"
                              " 192, 256)\nset yrange [5:300]\n"
                              "set ytics (5, 10, 20, 50, 100, 200)\n"
                              + plot.KEY_BELOW.format(columns=3))
    return bandwidth_numbers(times)


def bandwidth_numbers(times):
    def names(ps):
        return ", ".join(map(str, ps)) or "none"
    paper = {p: {k: v for k, v in times[p].items() if k != "circulant"} for p in PS}
    fastest = {p: min(paper[p], key=paper[p].get) for p in PS}
    odd = [p for p in PS if p & (p - 1)]
    halving = [p for p in odd if paper[p]["halving_doubling"] < paper[p]["binary_blocks"]]
    halving_best = [p for p in odd if fastest[p] == "halving_doubling"]
    ring = [p for p in PS if fastest[p] == "ring"]
    return {
        "halving_listed": names([p for p in HALVING_FASTER if p in halving]),
        "halving_listed_not": names([p for p in HALVING_FASTER if p not in halving]),
        "halving_count": f"{len(halving)} of {len(odd)}",
        "halving_best_listed": names([p for p in HALVING_FASTER if p in halving_best]),
        "ring_listed": names([p for p in RING_FASTEST if p in ring]),
        "ring_listed_not": names([p for p in RING_FASTEST if p not in ring]),
        "ring_others": names([p for p in ring if p not in RING_FASTEST]),
        "blocks_best": names([p for p in odd if fastest[p] == "binary_blocks"]),
        "new_beats_tree": share(PS, lambda p: min(
            paper[p][name] for name in ("halving_doubling", "binary_blocks", "ring"))
            < paper[p]["reduce_bcast"]),
        "circulant_best_32k": share(odd, lambda p: times[p]["circulant"]
                                    <= min(paper[p].values()) * (1 + 1e-6)),
    }


def make(model, simplex, out):
    results = model.calls("allreduce", [(p, n) for p in PS for n in SIZES])
    cells, with_circulant = make_maps(results, out)
    return (map_numbers(results, cells, with_circulant) | make_bandwidth(results, out)
            | fold_numbers(results) | make_tree(simplex) | make_sensitivity(model))
