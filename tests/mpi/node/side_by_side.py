#!/usr/bin/env python3
"""Two jobs on the same processors, whose ranks wait for each other in the node's memory: neither
starves, and together they take about as long as one after the other.

  side_by_side.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so -p 4 [--yielding lib.so]
                  -- PROGRAM ITERATIONS

Others may keep the machine busy for a while: one attempt of a few must succeed.
"""
import os
import re
import sys
import tempfile
import time

import jobs

MOST_APART = 3.0  # of what two jobs of the same work took
MOST_SLOWER = 5.0  # than one of them alone; 2 is fair
ATTEMPTS = 4
LIMIT_SECONDS = 60


def seconds_of(done):
    """What the collectives of a job took."""
    took = re.search(r"^took ([\d.]+)$", done.output, re.MULTILINE)
    if done.status != 0 or took is None:
        print(f"FAILED: status {done.status}\n{done.output[-3000:]}")
        sys.exit(1)
    return float(took[1])


def run(options, number):
    """So many jobs that begin together."""
    with tempfile.TemporaryDirectory() as folder:
        ready = [os.path.join(folder, f"ready{job}") for job in range(number)]
        go = os.path.join(folder, "go")
        started = [jobs.start(jobs.command(options, [*options.line, file, go]),
                              TUTTI_NATIVE_FIRST="0", TUTTI_FORCE=jobs.FORCE) for file in ready]
        end = time.monotonic() + LIMIT_SECONDS
        while not all(map(os.path.exists, ready)) and time.monotonic() < end:
            time.sleep(0.01)
        with open(go, "w", encoding="utf-8"):
            pass
        return [seconds_of(done) for done in [jobs.end(job, LIMIT_SECONDS) for job in started]]


def main():
    parser = jobs.parser()
    parser.add_argument("line", nargs="+")
    options = parser.parse_args()
    for _ in range(ATTEMPTS):
        alone, together = run(options, 1)[0], run(options, 2)
        apart, slower = max(together) / min(together), max(together) / alone
        print(f"alone {alone:.3f} s, together {together[0]:.3f} and {together[1]:.3f} s: "
              f"{apart:.1f} times apart, {slower:.1f} times slower")
        if apart <= MOST_APART and slower <= MOST_SLOWER:
            sys.exit(0)
    print(f"FAILED: at most {MOST_APART} and {MOST_SLOWER}")
    sys.exit(1)


if __name__ == "__main__":
    main()
