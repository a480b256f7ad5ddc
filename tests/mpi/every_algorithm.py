#!/usr/bin/env python3
"""Every algorithm in its turn, over real messages, under a test of all collectives.

  every_algorithm.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so -p 4 [--yielding lib.so]
                     [--also lib.so] [--machine FILE] [--share 1/2] --turns bin/turns -- PROGRAM ARGS...

--turns PROGRAM  prints values of TUTTI_FORCE for a number of ranks, a line each
--share I/N      the I-th of N parts of them
PROGRAM          is also given --collectives, with those that are forced

Fails too if what was forced does not stand in the report of its run.
"""
import subprocess
import sys

import preloaded


def all_turns(options):
    lines = subprocess.run([options.turns, str(options.ranks)], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    part, parts = (int(number) for number in options.share.split("/"))
    return lines[part - 1::parts]


def main():
    parser = preloaded.launch_parser()
    parser.add_argument("--also")
    parser.add_argument("--machine")
    parser.add_argument("--share", default="1/1")
    parser.add_argument("--turns", required=True)
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    options.user_ops = "any"  # algorithms that cut operands are to meet those that do not commute
    options.by, options.reports, options.same_as_native = None, [], False
    program, turns = options.program, all_turns(options)
    failed = sum(not preloaded.passes(with_turn(options, program, turn)) for turn in turns)
    print(f"{len(turns)} turns, {failed} failed")
    sys.exit(1 if failed or not turns else 0)


def with_turn(options, program, turn):
    options.force = turn
    options.program = [*program, "--collectives",
                       ",".join(item.split("=")[0] for item in turn.split(","))]
    return options


if __name__ == "__main__":
    main()
