#!/usr/bin/env python3
"""A rank dies while others wait for it by the node's memory: the job must end soon, with all its
processes, and leave no name of shared memory.

  dying.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so -p 4 [--yielding lib.so]
           [--status N] -- PROGRAM kill|exit|abort|midst

--status N  what the launcher must end with; else any but 0
"""
import glob
import random
import re
import sys
import time

import jobs

SOON_SECONDS = 20  # it takes launchers one or two
LIMIT_SECONDS = 60


def is_running(process):
    """Zombies whose parent is slow are no longer."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def numbers(word, output):
    return [int(number) for number in re.findall(rf"^{word} (\d+)$", output, re.MULTILINE)]


def complaints(options, done, ended):
    processes = numbers("process", done.output)
    if len(processes) != options.ranks or "mappings 0" in done.output:
        yield "not all ranks came so far, by memory"
    dies = numbers("dies", done.output)
    if len(dies) != 1:
        yield "no rank died"
    elif ended - dies[0] / 1000 > SOON_SECONDS:
        yield f"the job ended {ended - dies[0] / 1000:.1f} s later"
    if done.status in (0, jobs.NO_END) or options.status not in (None, done.status):
        yield f"exit status: {done.status}"
    if "went on" in done.output:
        yield "a rank did not wait"
    while any(map(is_running, processes)) and time.monotonic() - ended < SOON_SECONDS:
        time.sleep(0.05)
    if any(map(is_running, processes)):
        yield f"of {processes} some still run"
    names = [name for process in processes for name in glob.glob(f"/dev/shm/tutti-{process}-*")]
    if names:
        yield f"left behind: {names}"


def main():
    parser = jobs.parser()
    parser.add_argument("--status", type=int)
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    seed = random.randrange(1 << 30)
    command = jobs.command(options, [*options.program, str(seed)])
    done = jobs.end(jobs.start(command, TUTTI_NATIVE_FIRST="0", TUTTI_FORCE=jobs.FORCE),
                    LIMIT_SECONDS)
    found = list(complaints(options, done, time.monotonic()))
    for complaint in found:
        print(f"FAILED: {complaint}; seed {seed}", done.output[-3000:], sep="\n")
    print("failed" if found else "all ended")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
