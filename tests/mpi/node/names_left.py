#!/usr/bin/env python3
"""Names of shared memory that a killed job left behind go when the next one makes its own; those
that are in use, or new, stay.

  names_left.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so -p 2 [--yielding lib.so]
                -- PROGRAM ARGS...
"""
import fcntl
import os
import sys
import time

import jobs

LIMIT_SECONDS = 60


def made(kind, seconds_ago):
    path = f"/dev/shm/tutti-test-{kind}-{os.getpid()}"
    with open(path, "w", encoding="utf-8"):
        pass
    then = time.time() - seconds_ago
    os.utime(path, (then, then))
    return path


def main():
    parser = jobs.parser()
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    left, new, used = made("left", 3600), made("new", 0), made("used", 3600)
    with open(used, encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        done = jobs.end(jobs.start(jobs.command(options, options.program)), LIMIT_SECONDS)
        there = [path for path in (left, new, used) if os.path.exists(path)]
    for path in there:
        os.unlink(path)
    is_right = done.status == 0 and there == [new, used]
    print("all passed" if is_right else f"FAILED: {there}, {done.status}\n{done.output[-3000:]}")
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
