"""Figures 16 and 18: how many times faster the best of the paper's algorithms is than what a
vendor's library chooses. Vendors are SMPI's selectors of algorithms for MPICH, Open MPI, MVAPICH2
and Intel MPI; both sides run on the same simulated cluster, and every result is verified."""
import os

import plot
import runner
import sweep

PLATFORM = "eth10g"
PS = [8, 13, 16, 32, 33]
MAXLOC_P = 33
SIZES = [8, 128, 1 << 10, 8 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20]
ALGORITHMS = {
    "allreduce": ["recursive_doubling", "reduce_bcast", "rabenseifner", "halving_doubling",
                  "binary_blocks", "ring"],
    "reduce": ["binomial", "rabenseifner", "halving_doubling", "binary_blocks", "ring"],
}
CASES = [("allreduce", "allreduce", PS), ("reduce", "reduce", PS),
         ("allreduce", "allreduce_maxloc", [MAXLOC_P]), ("reduce", "reduce_maxloc", [MAXLOC_P])]
COLOURS = {8: plot.BLUE, 13: plot.YELLOW, 16: plot.GREEN, 32: plot.PINK, 33: plot.RED}
MARKS = {8: 5, 13: 8, 16: 9, 32: 7, 33: 6}


def jobs(cluster, gamma):
    options = ("--check", f"--gamma={gamma:g}", "--reps=2")
    for collective, measured, ps in CASES:
        for p in sorted(ps, reverse=True):
            for algorithm in ALGORITHMS[collective]:
                yield runner.Job(PLATFORM, p, cluster.forced(collective, algorithm), measured,
                                 tuple(SIZES), options)
            for selector in sweep.PEERS:
                yield runner.Job(PLATFORM, p, cluster.vendor(selector), measured, tuple(SIZES),
                                 options)


def table(times, collective, measured, ps):
    """(p, n) -> (algorithm, us, {vendor: us})"""
    result = {}
    for p in ps:
        for n in SIZES:
            mine = {a: times.get((PLATFORM, f"tutti {a}", measured, p, n))
                    for a in ALGORITHMS[collective]}
            mine = {a: us for a, us in mine.items() if us}
            if not mine:
                continue
            best = min(mine, key=mine.get)
            vendors = {s: times.get((PLATFORM, s, measured, p, n)) for s in sweep.PEERS}
            result[p, n] = (best, mine[best], vendors)
    return result


def ratios(rows, selector, p):
    return [(n, rows[p, n][2][selector] / rows[p, n][1] if rows[p, n][2][selector] else None)
            for n in SIZES if (p, n) in rows]


def draw(measured, rows, ps, out):
    panels = {name: [plot.Curve(f"p = {p}", ratios(rows, selector, p), COLOURS[p], mark=MARKS[p],
                                width=1.5, dashed=p & (p - 1) != 0) for p in ps]
              for selector, name in sweep.PEERS.items()}
    figure = {"allreduce": "figure16-allreduce", "reduce": "figure16-reduce"}.get(
        measured, f"figure18-{measured.replace('_', '-')}")
    what = measured.split("_")[0]
    operator = "MPI_MAXLOC" if measured.endswith("maxloc") else "MPI_SUM"
    path = os.path.join(out, figure)
    plot.draw_panels(
        path + ".svg", f"{what.capitalize()}, {operator}: what the library chooses against the "
        "best algorithm of the paper", panels, "n, bytes of the vector",
        "library’s time / best time",
        settings="set format y '%g'\nset yrange [0.6:9]\nset ytics (0.7, 1, 1.5, 2, 3, 4, 6)\n"
                 "set arrow from graph 0,first 1 to graph 1,first 1 nohead lw 1.5 lc 'black'\n")
    plot.write_csv(path + ".csv",
                   ["p", "n", "best algorithm", "best us", *[f"{s} us" for s in sweep.PEERS]],
                   [[p, n, best, us, *vendors.values()]
                    for (p, n), (best, us, vendors) in sorted(rows.items())])


def span(values):
    values = sorted(values)
    if not values:
        return "none"
    middle = values[len(values) // 2]
    return f"{values[0]:.2f} to {values[-1]:.2f} (median {middle:.2f})"


def make_numbers(measured, rows, ps):
    numbers = {}
    groups = {"small": [n for n in SIZES if n < 8 << 10],
              "middle": [n for n in SIZES if 8 << 10 <= n <= 64 << 10],
              "large": [n for n in SIZES if n > 64 << 10]}
    for group, sizes in groups.items():
        values = [us / rows[p, n][1] for p in ps for n in sizes if (p, n) in rows
                  for us in rows[p, n][2].values() if us]
        numbers[f"{measured}_{group}"] = span(values)
        best_vendor = [min(us for us in rows[p, n][2].values() if us) / rows[p, n][1]
                       for p in ps for n in sizes if (p, n) in rows
                       and any(rows[p, n][2].values())]
        numbers[f"{measured}_{group}_best_vendor"] = span(best_vendor)
    all_values = [us / mine for _, mine, vendors in rows.values() for us in vendors.values() if us]
    numbers[f"{measured}_most"] = f"{max(all_values):.2f}"
    numbers[f"{measured}_slower"] = (f"{sum(v < 0.995 for v in all_values)} of "
                                     f"{len(all_values)}")
    return numbers


def make(cluster, gamma, out):
    times = cluster.run(list(jobs(cluster, gamma)))
    numbers = {}
    for collective, measured, ps in CASES:
        rows = table(times, collective, measured, ps)
        draw(measured, rows, ps, out)
        numbers |= make_numbers(measured, rows, ps)
    return numbers
