#!/usr/bin/env python3
"""Runs the random test `fuzz` on several numbers of ranks, with every algorithm in its turn.

  campaign.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so --command bin/tutti
              --program bin/fuzz [--yielding lib.so] [--also lib.so] [--machine FILE] [--seed S]
              [--cases N] [--ranks 1:9] [--one-setting] [--first N [--force SPEC]]

A setting is a value of TUTTI_FORCE: the k-th algorithm of each collective. Setting 0 sets nothing,
not even a report, as programs do. All others have Tutti serve from the first call on; setting 1
forces nothing. --cases are divided over ranks and settings; no two runs have a case number in
common.

--also LIB     is preloaded too
--machine FILE TUTTI_MACHINE
--one-setting  settings 0 and 1 with each number of ranks, the others with two of them
--first N      one run from case N on, with no more than --force: to repeat a case. Says, by plain
               messages, which library is right.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import preloaded  # noqa: E402

LIMIT_SECONDS = 1800

Run = collections.namedtuple("Run", "ranks force first cases")


def algorithms(command):
    """collective -> names, in the order of the list."""
    text = subprocess.run([command, "algorithms", "--json"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    result = collections.defaultdict(list)
    for each in json.loads(text):
        result[each["collective"]].append(each["name"])
    return result


def settings(known):
    turns = max(len(names) for names in known.values())
    return [None, ""] + [",".join(f"{collective}={names[turn % len(names)]}"
                                  for collective, names in known.items()) for turn in range(turns)]


def number_range(text):
    low, _, high = text.partition(":")
    return range(int(low), int(high or low) + 1)


def pairs_of_short_campaign(ranks, forces):
    """Some algorithms need a power of two: each is forced there and elsewhere. Alone, native serves."""
    powers = [p for p in ranks if p > 1 and p & (p - 1) == 0]
    others = [p for p in ranks if p > 1 and p & (p - 1) != 0]
    pairs = list(itertools.product(ranks, forces[:2]))
    for some in (powers, others):
        pairs += zip(itertools.cycle(reversed(some)), forces[2:])
    return pairs


def plan(options, known):
    """The runs to be made."""
    if options.first is not None:
        return [Run(ranks, options.force, options.first, options.cases) for ranks in options.ranks]
    forces = settings(known)
    pairs = list(itertools.product(options.ranks, forces))
    if options.one_setting:
        pairs = pairs_of_short_campaign(options.ranks, forces)
    each, rest = divmod(options.cases, len(pairs))
    runs, first = [], 0
    for i, (ranks, force) in enumerate(pairs):
        cases = each + (i < rest)
        if cases > 0:
            runs.append(Run(ranks, force, first, cases))
        first += cases
    return runs


def make(options, run):
    """(what the program printed, its errors, whether it ended well)"""
    program = [options.program, "--seed", str(options.seed), "--first", str(run.first), "--cases",
               str(run.cases)] + (["--judge", "--limits"] if options.first is not None else [])
    arguments = argparse.Namespace(mpirun=options.mpirun, mpi=options.mpi, ranks=run.ranks,
                                   yielding=options.yielding, also=options.also, program=program)
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       UCPYIELD_SLEEP="50")
    for name in ("TUTTI_FORCE", "TUTTI_MACHINE", "TUTTI_NATIVE_FIRST", "TUTTI_POLICY",
                 "TUTTI_REPORT", "TUTTI_USER_OPS"):
        environment.pop(name, None)
    if options.machine is not None:
        environment["TUTTI_MACHINE"] = options.machine
    if run.force is not None:
        # Untuned, one node is mostly native, and so are long operands of the user's operators.
        # Algorithms that cut operands are to meet those that do not commute.
        environment.update(TUTTI_NATIVE_FIRST="0", TUTTI_POLICY="model", TUTTI_USER_OPS="any")
    if run.force:
        environment.update(TUTTI_FORCE=run.force, TUTTI_REPORT="1")
    try:
        done = subprocess.run(preloaded.command(arguments, options.tutti), env=environment,
                              text=True, errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        return str(late.stdout), f"no end after {LIMIT_SECONDS} s", False
    return done.stdout, done.stderr, done.returncode == 0


def total(pattern, text):
    return sum(int(number) for number in re.findall(pattern, text, re.MULTILINE))


def complain(run, output, errors):
    print(f"FAILED on {run.ranks} ranks")
    found = [line for line in output.splitlines()
             if line.startswith(("DIFFERENT", "CRASHED", "NO END"))]
    if not found:
        print(output[-3000:] + errors[-3000:])
    repeats = set()
    for line in found[:20]:
        what, _, repeat = line.partition("; repeat: ")
        print(f"  {what}")
        repeats.add(repeat)
    print("".join(f"  repeat: {repeat}\n" for repeat in sorted(repeats)), end="", flush=True)


def progress(text):
    if sys.stdout.isatty():
        print(f"\r\033[K{text}", end="", flush=True)


def run_all(options, known):
    """(rows by number of ranks, algorithms that were met, whether all went well)"""
    rows = {ranks: collections.Counter() for ranks in options.ranks}
    met, good = set(), True
    runs = plan(options, known)
    for i, run in enumerate(runs):
        progress(f"{options.mpi}: run {i + 1} of {len(runs)}, {run.ranks} ranks")
        start = time.monotonic()
        output, errors, ended_well = make(options, run)
        row = rows[run.ranks]
        row["seconds"] += time.monotonic() - start
        row["compared"] += total(r"^(\d+) cases compared", output)
        row["left out"] += total(r"^(\d+) cases left out: native", output)
        row["instead"] += total(r"^(\d+) of them", output)
        row["limit"] += total(r"^(\d+) cases left out: known limit", output)
        met |= {(collective, name)
                for collective, _, name, _ in preloaded.report_lines(errors)}
        if not ended_well:
            progress("")
            complain(run, output, errors)
            good = False
    progress("")
    return rows, met, good


def print_table(options, rows):
    print(f"seed {options.seed}. Cases compared with the native library; left out because it is "
          "wrong;\nof these, compared with plain messages; left out as a known limit of Tutti.")
    print(f"{'library':<9}{'p':>3}{'compared':>10}{'left out':>10}{'messages':>10}{'limit':>7}"
          f"{'seconds':>9}")
    sums = collections.Counter()
    for ranks, row in rows.items():
        sums.update(row)
        print_row(options.mpi, ranks, row)
    if len(rows) > 1:
        print_row(options.mpi, "all", sums)
    return sums


def print_row(mpi, ranks, row):
    print(f"{mpi:<9}{ranks:>3}{row['compared']:>10}{row['left out']:>10}{row['instead']:>10}"
          f"{row['limit']:>7}{row['seconds']:>9.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--tutti", required=True)
    parser.add_argument("--command", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--yielding")
    parser.add_argument("--also")
    parser.add_argument("--machine")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--ranks", type=number_range, default=range(1, 10))
    parser.add_argument("--one-setting", action="store_true")
    parser.add_argument("--first", type=int)
    parser.add_argument("--force")
    options = parser.parse_args()
    if options.force and options.first is None:
        parser.error("--force is for --first: without it, every algorithm is forced in its turn")
    known = algorithms(options.command)
    rows, met, good = run_all(options, known)
    sums = print_table(options, rows)
    if options.first is None:
        every = {(collective, name) for collective, names in known.items() for name in names}
        missing = ", ".join(f"{collective}={name}" for collective, name in sorted(every - met))
        print("algorithms that no case met: " + (missing or "none"))
    if good and sums["compared"] == 0 and options.first is None:
        print("FAILED: nothing was compared")
        good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
