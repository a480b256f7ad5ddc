#!/usr/bin/env python3
"""Counts what Tutti does in calls that are never made twice (call_costs.cpp), in instructions.

  call_costs.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so -p 2 [--yielding lib.so]
                -- call_costs CASE CALLS

Instructions hold under any load. Rank 0 runs under callgrind, which writes a file for every call.
Counted are Tutti's own, those of the libraries it is made of, of malloc, and of the MPI library where
it describes datatypes; not what the MPI library does while it waits.

Fails if the lower quartile of calls takes over 2 us, or one of them over 5 ms, at three instructions
a nanosecond.
"""
import glob
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "bench")]
import callgrind  # noqa: E402
import preloaded  # noqa: E402

LIMIT_SECONDS = 600
QUARTILE, LONGEST = 6000, 15_000_000
OURS = re.compile(r"libtutti|libmuparser|libfmt|libstdc\+\+|libm\.so|libgomp|libgcc_s")
ALLOCATION = re.compile(r"malloc|calloc|realloc|free|unlink_chunk")
DATATYPES = re.compile(r"Type_(get|size|dup|extent|contents|envelope)|Pack|Unpack", re.IGNORECASE)


def is_counted(library, function):
    return bool(OURS.match(library) or DATATYPES.search(function) or
                (library.startswith("libc.so") and ALLOCATION.search(function)))


def run(options, profile):
    """Rank 0 counts; the command is the same otherwise."""
    words = preloaded.command(options, options.tutti)
    program = words.index(options.program[0])
    counting = callgrind.command(options.program, "counted_call", profile,
                                 "--dump-before=counted_call")
    at = words.index("-np")
    first = words[:at] + ["-np", "1"] + words[at + 2:program] + counting
    rest = ["-np", str(options.ranks - 1)] + words[words.index("env"):]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       UCPYIELD_SLEEP="50", HWLOC_COMPONENTS="-x86")
    subprocess.run(first + [":"] + rest, env=environment, check=True, timeout=LIMIT_SECONDS)


def calls(options):
    """Instructions of each call, but of the first few, which bind symbols."""
    with tempfile.TemporaryDirectory() as directory:
        profile = os.path.join(directory, "calls")
        run(options, profile)
        files = sorted(glob.glob(profile + ".*"), key=lambda name: int(name.rsplit(".", 1)[1]))
        found = [sum(cost for place, cost in callgrind.by_place(name).items()
                     if is_counted(*place)) for name in files]
    if len(found) < int(options.program[2]) - 1:
        raise SystemExit(f"FAILED: {len(found)} calls were counted")
    return found[2:]


def main():
    parser = preloaded.launch_parser()
    parser.add_argument("program", nargs=3)
    options = parser.parse_args()
    options.also = None
    counted = calls(options)
    lower, longest = statistics.quantiles(counted, n=4)[0], max(counted)
    good = lower <= QUARTILE and longest <= LONGEST
    print(f"{'ok' if good else 'FAILED'}: {options.program[1]}: lower quartile {lower:.0f} "
          f"instructions (at most {QUARTILE}), longest {longest} (at most {LONGEST})")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
