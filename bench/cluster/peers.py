#!/usr/bin/env python3
"""Tutti, not tuned, against the selectors of four MPI libraries, on simulated clusters.

    peers.py --build build/simgrid                  all of it: docs/results/peers.csv and plots
    peers.py --build build/simgrid --procs 33 --platforms edr --out /tmp/peers.csv
    peers.py --build build/simgrid --check          a part again, compared with the CSV file

The file is read too: what peers take there is not measured again (they change with SimGrid only),
nor what Tutti takes, with --keep. Times are simulated, and the same on every machine: --check fails
if a time of Tutti's is worse than in the file by over 2%. Writes, beside the CSV file, a heat map
per collective (its time at the best peer, over Tutti's), and the goals to docs/results.md.
"""
import argparse
import os
import sys
import tempfile
import textwrap
import time

import files
import heatmap
import page
import platforms
import runner
import summarise
import sweep

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SIZES = [8, 128, 2 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 32 << 20]
PLATFORMS = ["eth10g", "edr", "hier16"]
CHECKED_PROCS, CHECKED_SIZES = [17, 33], [8, 16 << 10, 1 << 20]
MOST_WORSE = 1.02
LONG = 4 << 20
BOUNDED = "bcast reduce allreduce allgather reduce_scatter alltoall gather scatter".split()


def wanted_jobs(arguments, have):
    """Longest first. A peer's collective that is in the file at all is there whole."""
    kept = {each[:4] for each in have}
    # The first call sets up the communicator, however long that takes here: the second counts.
    options = (*sweep.bench_options(check=False), "--rep-wall=60")
    jobs = [job for job in sweep.all_jobs(arguments, options)
            if (job.platform, job.p, job.report_as or job.collective, job.contender.name) not in kept]
    return sorted(jobs, key=lambda job: -job.p)


def run(jobs, parallel, on_rows=lambda rows: None):
    with tempfile.TemporaryDirectory(prefix="platforms.") as directory:
        platforms.write_all(directory)
        return runner.Runner(directory, parallel, timeout=300).run(jobs, on_rows)


def measured(arguments, known):
    """All rows: those known, and those of jobs, written as they end."""
    rows = {row.key: row for row in known}
    have = [row.key for row in known if arguments.keep or row.contender != summarise.TUTTI]

    def keep(fresh):
        rows.update((row.key, row) for row in fresh)
        runner.write_csv(arguments.out, list(rows.values()))
    run(wanted_jobs(arguments, have), arguments.parallel, keep)
    return list(rows.values())


def check(arguments, known):
    """The rows of Tutti's that got worse, as lines. Those without a time in the file cannot."""
    before = {row.key: row.t_us for row in known}
    arguments.contenders, arguments.sizes = [summarise.TUTTI], CHECKED_SIZES
    arguments.procs = CHECKED_PROCS
    rows = run(wanted_jobs(arguments, []), arguments.parallel)
    missing = [row for row in rows if row.key not in before]
    if missing:
        raise SystemExit(f"{arguments.out} lacks {missing[0].key}: run `make peers`")
    rows = [row for row in rows if before[row.key] is not None]
    worse = [row for row in rows if row.t_us is None or row.t_us > MOST_WORSE * before[row.key]]
    print(f"{len(rows)} times compared with {arguments.out}: {len(worse)} are worse by over 2%")
    return [f"  {row.platform} {row.collective} p = {row.p}, {runner.size_name(row.n)}: "
            f"{before[row.key]:.1f} us, now {row.t_us or float('nan'):.1f}" for row in worse]


def goal(text, reached, values, is_met):
    """A line of the table: values are (figure, where); `reached` picks the one that is shown."""
    if not values:
        return [text, "-", "-", "not measured"]
    figure, where = reached(values)
    failed = sum(not is_met(value) for value, _ in values)
    verdict = "pass" if failed == 0 else f"fail ({failed} of {len(values)})"
    return [text, f"{figure:.2f}", where, verdict]


def name_of(point):
    platform, collective, p, n = point
    return f"{platform} {collective}, p = {p}, {runner.size_name(n)}"


def goals(points):
    ups = {at: point.speed_up for at, point in points.items() if point.speed_up}
    mean = summarise.geometric_mean(ups.values())
    bounds = {at: point.tutti / point.bound for at, point in points.items()
              if point.tutti and point.bound and at[3] >= LONG and platforms.PLATFORMS[at[0]].flat}
    lines = [["over the best peer, geometric mean, at least 1.5", f"{mean:.2f}",
              f"{len(ups)} cells", "pass" if mean >= 1.5 else "fail"],
             goal("no cell below 0.97", min, [(up, name_of(at)) for at, up in ups.items()],
                  lambda up: up >= 0.97),
             goal("8 B within 1.05 of the best peer", max,
                  [(1 / up, name_of(at)) for at, up in ups.items() if at[3] == 8],
                  lambda ratio: ratio <= 1.05)]
    for collective, most in [*((name, 1.15) for name in BOUNDED), ("scan", 2.2)]:
        lines.append(goal(f"{collective}, 4 MiB and up, flat: within {most} of the bound", max,
                          [(ratio, name_of(at)) for at, ratio in bounds.items()
                           if at[1] == collective], lambda ratio, most=most: ratio <= most))
    return page.table(lines)


def draw(points, directory):
    """A heat map per collective; returns their file names."""
    names = []
    for collective in summarise.unique(at[1] for at in points):
        cells = {(f"{at[0]} {at[2]}", runner.size_name(at[3]) if at[3] else "-"): point.speed_up
                 for at, point in points.items() if at[1] == collective and point.speed_up}
        if not cells:
            continue
        names.append(f"peers-{collective}.svg")
        heatmap.draw(os.path.join(directory, names[-1]),
                     f"{collective}: time of the best of four selectors, over Tutti’s", cells,
                     "platform, p", "n (bytes)")
    return names


def report(rows, arguments):
    points = summarise.collect(sorted(rows, key=lambda row: (row.platform, row.p, row.n)),
                               runner.untrusted(rows))
    directory = os.path.dirname(os.path.abspath(arguments.out))
    pictures = draw(points, directory)
    table = goals(points)
    if arguments.page:
        links = ", ".join(f"[{name[6:-4]}](results/{name})" for name in pictures)
        where = f"`{os.path.basename(arguments.out)}` has the times. Heat maps: {links}."
        page.put("peers", textwrap.fill(where, 100, break_on_hyphens=False) + "\n\n" + table)
    return table


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    sweep.add_clusters(parser, PLATFORMS)
    add("--contenders", type=sweep.words, default=["tutti", *sweep.PEERS])
    add("--sizes", type=sweep.sizes, default=SIZES)
    add("--keep", action="store_true", help="do not measure again what the file has of Tutti")
    add("--check", action="store_true", help="compare a part with the file, and write nothing")
    add("--out", default=os.path.join(ROOT, "docs", "results", "peers.csv"))
    arguments = parser.parse_args()
    arguments.page = os.path.abspath(arguments.out).startswith(os.path.abspath(ROOT) + os.sep)
    return arguments


def main():
    arguments = read_arguments()
    known = runner.read_csv(arguments.out) if os.path.exists(arguments.out) else []
    start = time.time()
    if arguments.check:
        worse = check(arguments, known)
        print("\n".join(worse), end="\n" if worse else "")
        sys.exit(1 if worse else 0)
    rows = measured(arguments, known)
    print(report(rows, arguments))
    failed = [row for row in rows if row.t_us is None]
    print(f"{len(rows)} rows in {arguments.out}, {len(failed)} without a result; "
          f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    runner.run_main(main)
