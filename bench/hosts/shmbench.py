#!/usr/bin/env python3
"""The goals of a node: untuned Tutti against native libraries on the processors of this machine.

    shmbench.py                    all libraries that are here: ten minutes for Debian's two, and
                                   four for each other
    shmbench.py --libraries mpich --collectives barrier,scan --bytes 8,1M --starts 1 --out FILE.csv

On an idle machine only. With two ranks all collectives are timed as Tutti and as the library serve
them, in the same start of a program, and bare loops in the same minute (bare.cpp). Then more ranks
than processors, over Debian's two. A case may take twice as long in one start as in another, so
there are some; a goal is judged by the medians, and its line says how far starts are apart.

Writes a row per case and start to --out; beside it a heat map per library; and the goals to
docs/results.md, if --out lies there.
"""
import collections
import csv
import datetime
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import turns
from libraries import LIBRARIES
from runner import size_name

SIZES = "8,64,1K,4K,64K,256K,1M,4M,16M"
COLUMNS = ["library", "place", "collective", "p", "asked", "start", "bytes", "calls", "tutti_us",
           "native_us", "bare_us", "barrier_us", "date"]
CROWDS = [4, 8, 16]
CROWD_SECONDS = 0.5
YIELDING = {"OMPI_MCA_rmaps_base_oversubscribe": 1, "OMPI_MCA_mpi_yield_when_idle": 1}
LOOP = "barrier, allreduce of 8 B, bcast of 64 KiB"

# Of Debian's two. Most time over native, of one case each;
MOST_OVER_NATIVE = {("barrier", ""): 0.5, ("allreduce", "8"): 0.6, ("allreduce", "1K"): 0.6,
                    ("allreduce", "256K"): 0.45, ("bcast", "4M"): 0.5}
# of the worst of these sizes;
LONG_SIZES, MOST_OF_LONG = ["64K", "256K", "1M", "4M"], 0.6
LONG_COLLECTIVES = ["reduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block"]
MOST_OVER_BARE = 1.15
# least speed-up over native in the mean, of each case, and of the loop where ranks are many.
MEANS, MEAN_OF_OTHERS = {"mpich": 2.0, "openmpi": 1.7}, 1.2
LEAST, LEAST_OF_OTHERS = 0.97, 0.95
LEAST_OF_CROWD = {"mpich": 20, "openmpi": 1.5}

# Microseconds of 128 ranks on 2 x 64 cores by MPICH 4.2.2, Open MPI and ext_mpi_collectives, from
# the raw data of the last (IJHPCA 2025); allreduces are of floats.
PUBLISHED = {("allreduce", "8"): (4.7, 29.5, 4.8), ("allreduce", "1K"): (14, 42, 9.3),
             ("allreduce", "4K"): (36, 73, 9.5), ("allreduce", "64K"): (571, 857, 24),
             ("allreduce", "1M"): (8910, 15462, 331), ("allreduce", "16M"): (157800, 281600, 21800),
             ("bcast", "8"): (1.0, 13.2, 0.8), ("bcast", "64K"): (103, 279, 16),
             ("bcast", "1M"): (922, 4263, 288), ("reduce", "1M"): (4529, 4706, 797)}
MODELLED = [16, 64, 128]  # ranks


class Processors:
    """A context: `count` ranks on this machine."""

    def __init__(self, count):
        self.count = count
        self.temporary = tempfile.TemporaryDirectory()

    def __enter__(self):
        self.directory = self.temporary.name
        return self

    def __exit__(self, *error):
        self.temporary.cleanup()

    def run(self, library, words, environment=None, timeout=None):
        done = subprocess.run(
            [library.launcher(), "-n", str(self.count), *map(str, words)], text=True,
            capture_output=True, timeout=timeout, env=library.environment(environment))
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}, {library.name}: "
                               f"{(done.stderr or done.stdout).strip()[-2000:]}")
        return done.stdout


def case_of(row):
    return row["collective"], "" if row["collective"] == "barrier" else size_name(int(row["asked"]))


def name_of(case):
    collective, size = case
    return f"{collective} of {size}" if size else collective


def bare_times(library, seconds):
    done = subprocess.run([library.program("hosts_bare"), str(seconds)], text=True, check=True,
                          stdout=subprocess.PIPE)
    return {case_of(row): row["bare_us"] for row in csv.DictReader(io.StringIO(done.stdout))}


def two_ranks(library, arguments):
    """A row for each case, of one start."""
    say(library, "2 ranks")
    bare = bare_times(library, arguments.seconds) if library.is_debians() else {}
    with Processors(2) as place:
        rows = turns.timed(place, arguments, library, {})
    return [{**row, "place": "2 ranks", "bare_us": bare.get(case_of(row), "")} for row in rows]


def crowd(library, ranks):
    """The loop's row, of one start."""
    say(library, f"{ranks} ranks")
    with Processors(ranks) as place:
        printed = place.run(library, [library.program("hosts_crowd"), CROWD_SECONDS],
                            {"TUTTI_NATIVE_FIRST": 0, **YIELDING})
    [row] = csv.DictReader(io.StringIO(printed))
    return {**row, "place": f"{ranks} ranks", "collective": LOOP, "p": ranks}


def say(library, text):
    turns.say(f"{library.name}: {text}")


def start_of(library, arguments):
    rows = two_ranks(library, arguments)
    if library.is_debians():
        rows += [crowd(library, ranks) for ranks in CROWDS if ranks > os.cpu_count()]
    return rows


def measure(arguments, out):
    """All rows of --out, written as they come: those of libraries not measured now stay."""
    measured = [library.name for library in arguments.libraries]
    rows = [row for row in turns.read_rows(out)
            if row.get("start") and row["library"] not in measured]
    for start in range(arguments.starts):
        for library in arguments.libraries:
            fresh = start_of(library, arguments)
            rows += [{column: row.get(column, "") for column in COLUMNS}
                     | {"library": library.name, "start": start + 1, "date": datetime.date.today()}
                     for row in fresh]
            turns.write_rows(out, rows, COLUMNS)
    return rows


def ratios(rows, over, under):
    """Of each case that has both times: its ratio in each start."""
    found = collections.defaultdict(list)
    for row in rows:
        if row[over] and row[under]:
            found[case_of(row)].append(float(row[over]) / float(row[under]))
    return found


def line(what, asked, reached, starts, where, is_met):
    spread = f"{min(starts):.2f} to {max(starts):.2f}"
    return [what, asked, f"{reached:.2f}", spread, where, "yes" if is_met else "no"]


def at_most(what, cases, most):
    """A line, of none if nothing was measured: of the worst of these cases."""
    if not cases:
        return []
    worst = max(cases, key=lambda case: statistics.median(cases[case]))
    reached = statistics.median(cases[worst])
    return [line(what, f"at most {most}", reached, cases[worst],
                 name_of(worst) if len(cases) > 1 else "", reached <= most)]


def none_below(cases, least):
    medians = {case: statistics.median(starts) for case, starts in cases.items()}
    worst = min(medians, key=medians.get)
    below = sum(each < least for each in medians.values())
    return line("all cases, none below", f"at least {least}", medians[worst], cases[worst],
                f"{name_of(worst)}; {below} of {len(cases)} are below", below == 0)


def mean(cases, least):
    by_start = [turns.geometric_mean(of_start) for of_start in zip(*cases.values())]
    reached = turns.geometric_mean(map(statistics.median, cases.values()))
    return line("all cases, geometric mean of native's time over Tutti's", f"at least {least}",
                reached, by_start, f"{len(cases)} cases", reached >= least)


def goals_of_debians(rows):
    over_native = ratios(rows, "tutti_us", "native_us")
    lines = []
    for case, most in MOST_OVER_NATIVE.items():
        if case in over_native:
            lines += at_most(f"{name_of(case)}, over native", {case: over_native[case]}, most)
    for collective in LONG_COLLECTIVES:
        some = {(collective, size): over_native[collective, size] for size in LONG_SIZES
                if (collective, size) in over_native}
        sizes = ", ".join(size for _, size in some)
        lines += at_most(f"{collective} of {sizes}, over native", some, MOST_OF_LONG)
    for case, starts in ratios(rows, "tutti_us", "bare_us").items():
        lines += at_most(f"{name_of(case)}, over bare loops", {case: starts}, MOST_OVER_BARE)
    return lines


def goals_of_crowds(rows, library):
    lines = []
    for place in dict.fromkeys(row["place"] for row in rows):
        starts = [turns.speed_up(row) for row in rows if row["place"] == place]
        least, reached = LEAST_OF_CROWD[library], statistics.median(starts)
        lines.append(line(f"{place}, {LOOP}: native's time over Tutti's", f"at least {least}",
                          reached, starts, "", reached >= least))
    return lines


def goals(rows, library):
    pairs = [row for row in rows if row["p"] == "2"]
    cases = ratios(pairs, "native_us", "tutti_us")
    is_debians = LIBRARIES[library].is_debians()
    lines = goals_of_debians(pairs) if is_debians else []
    lines.append(mean(cases, MEANS.get(library, MEAN_OF_OTHERS)))
    lines.append(none_below(cases, LEAST if is_debians else LEAST_OF_OTHERS))
    return lines + goals_of_crowds([row for row in rows if row["p"] != "2"], library)


def modelled(tutti, collective, size, ranks):
    """Microseconds of the cheapest algorithm, by the model."""
    done = subprocess.run([tutti, "explain", collective, "--ranks", str(ranks), "--per-node",
                           str(ranks), "--bytes", size, "--json"],
                          capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return next(each["predicted_seconds"] for each in found["candidates"]
                if each["algorithm"] == found["chosen"]) * 1e6


def many_ranks(tutti):
    """What the model says of more ranks than can be measured, beside what was published."""
    lines = [["us", "MPICH 4.2", "Open MPI", "ext_mpi",
              *(f"Tutti, **model**, p = {ranks}" for ranks in MODELLED)], ["---", *["---:"] * 6]]
    for (collective, size), published in PUBLISHED.items():
        found = [modelled(tutti, collective, size, ranks) for ranks in MODELLED]
        lines.append([f"{collective} of {size}", *map(str, published),
                      *(str(float(f"{each:.2g}")).removesuffix(".0") for each in found)])
    return turns.page.lines(lines)


def table(lines):
    return turns.page.lines([["goal", "asked", "found", "by start", "at", "met"],
                             ["---", "---:", "---:", "---", "---", "---"], *lines])


def typical(rows):
    """Of each case the start whose ratio is the median."""
    by_case = collections.defaultdict(list)
    for row in rows:
        by_case[case_of(row)].append(row)
    return [sorted(starts, key=turns.speed_up)[len(starts) // 2] for starts in by_case.values()]


def main():
    here = ",".join(name for name, library in LIBRARIES.items() if library.is_here())
    parser = turns.parser_for(__doc__)
    parser.add_argument("--starts", type=int, default=5, help="of the programs")
    arguments = turns.read_arguments(parser, "shared", SIZES, "0.05", turns.ALL_COLLECTIVES, here)
    if os.cpu_count() < 2:
        parser.error("two ranks need two processors: times would be the scheduler's")
    out = pathlib.Path(arguments.out).resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    measure(arguments, out)
    rows = turns.read_rows(out)
    text = ""
    for library in dict.fromkeys(row["library"] for row in rows):
        own = [row for row in rows if row["library"] == library]
        picture = turns.picture(out.parent, f"shared-untuned-{library}",
                                f"time of native {library}, over untuned Tutti’s",
                                typical([row for row in own if row["p"] == "2"]))
        text += f"### {LIBRARIES[library].version()}\n\n{table(goals(own, library))}\n{picture}\n"
    text += ("### Many ranks\n\n"
             "Published figures are of 128 ranks on 2 x 64 cores. Tutti's are what the model "
             "says of its cheapest\nalgorithm, with a latency and copies as measured here: real "
             "sockets are slower."
             "\n\n" + many_ranks(LIBRARIES["mpich"].program("tutti")) + "\n")
    starts = max(int(row["start"]) for row in rows)
    about = (f"Two ranks, then more, on {os.cpu_count()} processors; medians of {starts} starts of "
             "the programs")
    turns.publish("shared", rows, arguments, about, text)


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"shmbench: {error}")
