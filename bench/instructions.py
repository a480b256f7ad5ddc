#!/usr/bin/env python3
"""Counts the instructions that a cached 8-byte allreduce takes in Tutti and in the MPI library.

    instructions.py --build build/mpich --mpi mpich [--ranks 2] [--calls 1000] [-o FILE.csv]

Runs short_calls with libtutti.so preloaded, rank 0 under callgrind (Debian package valgrind). What a
library does while it waits for messages varies from run to run; what Tutti does, does not. Prints the
instructions of each function of Tutti's per call, and their sum; `-o` writes them as CSV. The
reason for each is in docs/notes/2026-11-25-instructions.md.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

import callgrind

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "cluster"))
import files  # noqa: E402


def command(arguments, profile):
    build = os.path.abspath(arguments.build)
    program = [os.path.join(build, "bin", "short_calls"), str(arguments.calls)]
    counted = callgrind.command(program, "short_calls", profile)
    preload = ["env", f"LD_PRELOAD={os.path.join(build, 'lib', 'libtutti.so')}"]
    yielding = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    return [f"mpirun.{arguments.mpi}", *(yielding if arguments.mpi == "openmpi" else []),
            "-n", "1", *preload, *counted, ":", "-n", str(arguments.ranks - 1), *preload, *program]


def counts(arguments):
    """(object, function) -> instructions of all calls."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       TUTTI_FORCE="allreduce=recursive_doubling", HWLOC_COMPONENTS="-x86")
    with tempfile.TemporaryDirectory() as directory:
        profile = os.path.join(directory, "callgrind.out")
        subprocess.run(command(arguments, profile), env=environment, check=True)
        return callgrind.by_place(profile)


def named(function):
    """Without arguments, template arguments and namespaces of ours."""
    plain = function.replace("(anonymous namespace)::", "").removesuffix("'2")
    short = re.sub(r"\(.*", "", plain)
    while short != (inner := re.sub(r"<[^<>]*>", "", short)):
        short = inner
    return short.replace("tutti::runtime::", "").replace("tutti::", "").split(" ")[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", required=True)
    add("--mpi", choices=["mpich", "openmpi"], required=True)
    add("--ranks", type=int, default=2)
    add("--calls", type=int, default=1000)
    add("-o", "--out", help="CSV file to write")
    arguments = parser.parse_args()
    functions = collections.Counter()
    elsewhere = 0
    for (library, function), instructions in counts(arguments).items():
        if library.startswith("libtutti"):
            functions[named(function)] += instructions
        else:
            elsewhere += instructions
    if not functions:
        raise SystemExit("nothing was counted in libtutti.so: is it in the build's lib directory?")
    rows = [(name, f"{total / arguments.calls:.0f}")
            for name, total in functions.most_common() if total >= arguments.calls / 2]
    rows.append(("in Tutti, all", f"{sum(functions.values()) / arguments.calls:.0f}"))
    rows.append((f"in {arguments.mpi} and below, waiting included",
                 f"{elsewhere / arguments.calls:.0f}"))
    width = max(len(name) for name, _ in rows)
    print(f"{'function':{width}}  instructions per call")
    for name, per_call in rows:
        print(f"{name:{width}}  {per_call:>21}")
    if arguments.out:
        lines = ["function,instructions"] + [f"{name},{per_call}" for name, per_call in rows[:-1]]
        files.write_atomically(arguments.out, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
