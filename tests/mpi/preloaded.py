#!/usr/bin/env python3
"""Runs an MPI program with libtutti.so preloaded, serving it from the first call on, and checks more
than its exit status.

  preloaded.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so -p 4 [--yielding lib.so]
               [--also lib.so] [--machine FILE] [--user-ops any] [--force SPEC]
               [--reports NAME ...] [--same-as-native] -- PROGRAM ARGS...

--also LIB        is preloaded too
--machine FILE    TUTTI_MACHINE
--user-ops any    TUTTI_USER_OPS
--force SPEC      TUTTI_FORCE; every algorithm in it must then stand in the report, for all ranks (from
                  2 on), not only for some of them
--by WAY          all calls served on so many ranks went by "memory", "messages" or "both"
--reports NAME    the report must list this collective, served by Tutti
--same-as-native  what the program prints must be, to the letter, what it prints without Tutti
"""
import argparse
import os
import re
import subprocess
import sys

LIMIT_SECONDS = 600


def command(options, preload):
    run = [options.mpirun, "-np", str(options.ranks)]
    if options.mpi == "openmpi":
        run += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    # MPICH busy-waits and has to be made to yield.
    libraries = [library for library in (preload, options.yielding, options.also) if library]
    setting = ["LD_PRELOAD=" + " ".join(libraries)] if libraries else []
    return run + ["env", *setting, *options.program]


def run(options, preload):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       UCPYIELD_SLEEP="50", TUTTI_REPORT="1", TUTTI_NATIVE_FIRST="0")
    environment.setdefault("TUTTI_POLICY", "model")  # untuned, one node is mostly native
    for name, value in (("TUTTI_FORCE", options.force), ("TUTTI_MACHINE", options.machine),
                        ("TUTTI_USER_OPS", options.user_ops)):
        environment.pop(name, None)
        if value:
            environment[name] = value
    return subprocess.run(command(options, preload), env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_SECONDS,
                          check=False)


def report_lines(errors):
    """(collective, ranks, algorithm, by) of every line of the report."""
    lines = errors.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("Tutti: collectives of rank 0")]
    if not starts:
        return set()
    at = lines[starts[0] + 1].index("algorithm")  # names may be longer than their column
    rows = [line for line in lines[starts[0] + 2:] if re.match(r"  \w+ +\d+ ", line)]
    return {(row.split()[0], int(row.split()[1]), *row[at:].split()[:2]) for row in rows}


def complaints(options, done):
    if done.returncode != 0:
        yield f"exit status {done.returncode}"
    lines = report_lines(done.stderr)
    served = {line[:3] for line in lines}
    for item in (options.force or "").split(","):
        if not item or options.ranks == 1:
            continue
        collective, algorithm = item.split(":")[0].split("=")
        if (collective, options.ranks, algorithm) not in served:
            yield f"the report does not list {collective} by {algorithm}, on {options.ranks} ranks"
    for name in options.reports:
        if not any(name == collective and algorithm != "native" for collective, _, algorithm in served):
            yield f"the report does not list {name} as served by Tutti"
    ways = {by for _, ranks, _, by in lines if ranks == options.ranks and by != "-"}
    if options.by == "both":  # of some calls rank 0 has messages of one kind
        ways -= {"memory", "messages"}
    if options.by and ways != {options.by}:
        yield f"calls went by {sorted(ways)}, not by {options.by}"
    if options.same_as_native:
        native = run(options, None)
        if native.stdout != done.stdout:
            yield "the output differs from the native one:\n" + native.stdout


def passes(options):
    """Runs it, and says what was wrong."""
    try:
        done = run(options, options.tutti)
    except subprocess.TimeoutExpired:
        print(f"FAILED: no end after {LIMIT_SECONDS} s: a deadlock?", options.force or "")
        return False
    found = list(complaints(options, done))
    for complaint in found:
        print("FAILED:", complaint)
    if found:
        print(options.force or "", done.stdout[-6000:], done.stderr[-6000:], sep="\n", flush=True)
        return False
    print(done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "done")
    return True


def launch_parser():
    """Of what tells how to start a program."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--tutti", required=True)
    parser.add_argument("--yielding")
    parser.add_argument("-p", dest="ranks", type=int, required=True)
    return parser


def main():
    parser = launch_parser()
    parser.add_argument("--also")
    parser.add_argument("--by", help="memory, messages or both: how all served calls went")
    parser.add_argument("--machine")
    parser.add_argument("--user-ops")
    parser.add_argument("--force")
    parser.add_argument("--reports", nargs="*", default=[])
    parser.add_argument("--same-as-native", action="store_true")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    sys.exit(0 if passes(options) else 1)


if __name__ == "__main__":
    main()
