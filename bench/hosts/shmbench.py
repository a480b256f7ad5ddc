#!/usr/bin/env python3
"""Tutti, tuned and untuned, against native libraries, on the processors of this machine: a rank each.

    shmbench.py                      two ranks, Debian's two libraries: about ten minutes
    shmbench.py --libraries mpich --bytes 8,1M --budget 30s --out /tmp/shared.csv
    shmbench.py --untuned            as whoever starts it first has it: three minutes

Measures as netbench.py does, in 11 starts of the program, on an idle machine only. Writes a row
per case to --out; beside it the profiles, a heat map per library; and the goals to docs/results.md,
if --out lies there.
"""
import os
import subprocess
import sys
import tempfile

import turns

SIZES = "8,64,512,4K,32K,256K,1M,4M,16M"
LONG = 8 << 20
UNTUNED_MEANS = {"mpich": 1.5, "openmpi": 1.05}


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


def goals(rows, library):
    """What is asked for up to 4 MiB; longer messages are judged as strictly, on a line of their own."""
    lines = []
    for kind, mine, mean in (("", turns.of_tuned(rows), 1.0),
                             ("untuned, ", turns.of_untuned(rows), UNTUNED_MEANS.get(library, 1.0))):
        for text, first, end in (("8 B to 4 MiB", 0, LONG), ("8 MiB and up", LONG, 2**62)):
            some = [row for row in mine if first <= turns.size_of(row) < end]
            if some:
                lines.append(turns.goal_of_slowest(kind + text, some, 0.05))
        if mine:
            lines.append(turns.goal_of_means(f"{kind}all sizes", mine, mean))
    return lines


def main():
    parser = turns.parser_for(__doc__)
    parser.add_argument("--ranks", type=int, default=2)
    arguments = turns.read_arguments(parser, "shared", SIZES, "2m", "0.2")
    if arguments.ranks > os.cpu_count():
        parser.error(f"{arguments.ranks} ranks do not fit {os.cpu_count()} processors: times would "
                     "be the scheduler's")
    rows = turns.run("shared", arguments, [(str(arguments.ranks), f"{arguments.ranks} processors",
                                            lambda build: Processors(arguments.ranks))],
                     starts=11)
    turns.report("shared", rows, arguments, f"{arguments.ranks} ranks on one machine",
                 lambda own, library: turns.page.table(goals(own, library)))


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"shmbench: {error}")
