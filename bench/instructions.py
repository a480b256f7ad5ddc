#!/usr/bin/env python3
"""Holds the instructions that short cached calls take in Tutti to limits.

    instructions.py --build build/mpich --mpi mpich [--ranks 2,4,8]

Runs short_calls with libtutti.so preloaded, rank 0 under callgrind (Debian package valgrind). It
comes last to each call, and the cheapest of some calls counts: one that waited for nothing, so that
no load changes it. Ranks yield while they wait, however many processors there are. Prints the
instructions of each function of Tutti's, and what all of them may take; the MPI library's do not
count. With TUTTI_MEMORY=0 calls go by messages, for which there is no limit. The reason for each is
in docs/notes/2026-11-25-instructions.md.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

import callgrind

CALLS = 20
COLLECTIVES = ["barrier", "allreduce", "bcast"]
FORCED = "barrier=dissemination:2,allreduce=recursive_doubling,bcast=binomial"
# By library, at these numbers of ranks: of each of COLLECTIVES what was found on 2026-11-29, by GCC
# 12, and a tenth.
MOST = {"mpich": {2: [931, 1166, 1119], 4: [1392, 1683, 1614], 8: [1799, 2197, 2064]},
        "openmpi": {2: [876, 1044, 1112], 4: [1342, 1562, 1608], 8: [1808, 2077, 2059]}}


def command(arguments, ranks, profile):
    build = os.path.abspath(arguments.build)
    program = [os.path.join(build, "bin", "short_calls"), str(CALLS)]
    counted = callgrind.command(program, "short_*", profile,
                                *(f"--dump-after=short_{each}" for each in COLLECTIVES))
    preload = ["env", f"LD_PRELOAD={os.path.join(build, 'lib', 'libtutti.so')}"]
    yielding = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    return [f"mpirun.{arguments.mpi}", *(yielding if arguments.mpi == "openmpi" else []),
            "-n", "1", *preload, *counted, ":", "-n", str(ranks - 1), *preload, *program]


def in_tutti(profile):
    """Function -> instructions of its own."""
    functions = collections.Counter()
    for (library, function), instructions in callgrind.by_place(profile).items():
        if library.startswith("libtutti"):
            functions[named(function)] += instructions
    return functions


def counts(arguments, ranks):
    """By collective, of the cheapest call: function -> instructions."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       TUTTI_FORCE=FORCED, TUTTI_NATIVE_FIRST="0", TUTTI_WAIT="yield",
                       HWLOC_COMPONENTS="-x86")
    with tempfile.TemporaryDirectory() as directory:
        profile = os.path.join(directory, "callgrind.out")
        subprocess.run(command(arguments, ranks, profile), env=environment, check=True)
        calls = [in_tutti(f"{profile}.{i + 1}") for i in range(CALLS * len(COLLECTIVES))]
    return {collective: min(calls[i * CALLS:(i + 1) * CALLS], key=collections.Counter.total)
            for i, collective in enumerate(COLLECTIVES)}


def named(function):
    """Without arguments, template arguments and namespaces of ours."""
    plain = function.replace("(anonymous namespace)::", "").removesuffix("'2")
    short = re.sub(r"\(.*", "", plain)
    while short != (inner := re.sub(r"<[^<>]*>", "", short)):
        short = inner
    return short.split("<")[0].replace("tutti::runtime::", "").replace("tutti::", "").split(" ")[-1]


def show(ranks, found):
    functions = sum(found.values(), collections.Counter())
    width = max(map(len, functions))
    print(f"\n{f'{ranks} ranks':{width}}" + "".join(f"{each:>11}" for each in COLLECTIVES))
    for function, _ in functions.most_common():
        print(f"{function:{width}}"
              + "".join(f"{found[each][function]:>11}" for each in COLLECTIVES))


def is_within(ranks, collective, functions, most):
    """A call that did not go by memory is no good, whatever it took."""
    instructions = functions.total()
    good = functions["Carrier::send"] > 0 and instructions <= most
    print(f"{'ok' if good else 'FAILED'}: {collective}, {ranks} ranks: {instructions} instructions,"
          f" at most {most} by memory")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", required=True)
    add("--mpi", choices=list(MOST), required=True)
    add("--ranks", default="2,4,8")
    arguments = parser.parse_args()
    has_limits = os.environ.get("TUTTI_MEMORY") != "0"
    good = True
    for ranks in map(int, arguments.ranks.split(",")):
        found = counts(arguments, ranks)
        show(ranks, found)
        most = MOST[arguments.mpi].get(ranks, []) if has_limits else []
        for collective, limit in zip(COLLECTIVES, most):
            good &= is_within(ranks, collective, found[collective], limit)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
