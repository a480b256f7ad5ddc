#!/usr/bin/env python3
"""Holds what is computed on a call's path to its goals, in instructions: they hold under any load.

    goals.py BIN_DIRECTORY

The goals are times (docs/results.md, docs/reproduction.md), for a processor that executes three
instructions per nanosecond.
"""
import os
import sys

import callgrind

CALLS = 200
SAMPLED = 10000  # ranks that `colouring own` looks at

PER_NANOSECOND = 3

# (what, program and arguments, how many of it, most nanoseconds of one)
GOALS = [
    ("a cached call at p = 64, outside MPI", ["overhead", "--calls", str(CALLS)], 2 * CALLS, 250),
    ("a rank's own colours, p = 1000000", ["colouring", "own", "1000000"], SAMPLED, 1000),
    ("all colours, p = 1000000, a rank", ["colouring", "walk", "1000000"], 1000000, 50),
]


def main():
    failed = False
    for what, (program, *arguments), count, most in GOALS:
        path = os.path.join(sys.argv[1], program)
        each = callgrind.instructions([path, *arguments], "counted") / count
        good = each <= most * PER_NANOSECOND
        failed |= not good
        print(f"{'ok' if good else 'FAILED'}: {what}: {each:.0f} instructions, "
              f"at most {most * PER_NANOSECOND}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
