#!/usr/bin/env python3
"""Runs a program under Tutti as users do, or with each algorithm forced in its turn.

  programs.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so -p 4 [--yielding lib.so]
              [--turns COLLECTIVE ... --command bin/tutti [--but NAME ...]]
              [--errors any|as-native] -- PROGRAM ARGS...

--turns COLLECTIVE   one run for the k-th algorithm of each of these, as `tutti algorithms` lists them,
                     served by Tutti from the first call on
--but NAME           except these: COLLECTIVE=ALGORITHM
--errors any         a run may end in an error of MPI
--errors as-native   and it does if it does natively, in the same class

Exit status 1 if a program fails or does not end in time: a hang.
"""
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import preloaded  # noqa: E402

LIMIT_SECONDS = 120  # some 60 times what a run takes
MOST_FAILURES = 3
ERROR_CLASS = 40  # a program that MPI told an error of class N aborts with this and N, below 100

Run = collections.namedtuple("Run", "status output")
HANG = "no end"


def run(options, preload, force=None):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       UCPYIELD_SLEEP="50")
    for name in ("TUTTI_FORCE", "TUTTI_NATIVE_FIRST", "TUTTI_REPORT"):
        environment.pop(name, None)
    if preload:
        environment["TUTTI_REPORT"] = "1"
    if force:
        environment.update(TUTTI_FORCE=force, TUTTI_NATIVE_FIRST="0")
    started = subprocess.Popen(preloaded.command(options, preload), env=environment, text=True,
                               errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output, _ = started.communicate(timeout=LIMIT_SECONDS)
        return Run(started.returncode, output)
    except subprocess.TimeoutExpired:
        started.send_signal(signal.SIGTERM)  # which mpirun passes on to the ranks
        try:
            output, _ = started.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            started.kill()
            output = ""
        return Run(HANG, output)


def turns(options):
    """Values of TUTTI_FORCE."""
    text = subprocess.run([options.command, "algorithms", "--json"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    names = {collective: [each["name"] for each in json.loads(text)
                          if each["collective"] == collective and
                          f"{collective}={each['name']}" not in options.but]
             for collective in options.turns}
    return [",".join(f"{collective}={known[turn % len(known)]}"
                     for collective, known in names.items())
            for turn in range(max(len(known) for known in names.values()))]


def error_of(done):
    """The class of MPI's error that a program aborted with, or None."""
    is_error = isinstance(done.status, int) and ERROR_CLASS < done.status < 100
    return done.status - ERROR_CLASS if is_error else None


def complaint(done, may_err, native):
    """What is wrong with a run, or None. `native` is given where errors are compared with its."""
    if done.status == HANG:
        return f"no end after {LIMIT_SECONDS} s: a hang"
    if "FAILED" in done.output:
        return "a wrong result"
    if done.status != 0 and not (may_err and error_of(done) is not None):
        return f"exit status {done.status}"
    if native is not None and error_of(native) is not None and error_of(done) != error_of(native):
        return f"native: error class {error_of(native)}, here: {error_of(done)}"
    return None


def main():
    parser = preloaded.launch_parser()
    parser.add_argument("--command")
    parser.add_argument("--turns", nargs="+", default=[])
    parser.add_argument("--but", nargs="+", default=[])
    parser.add_argument("--errors", choices=["any", "as-native"])
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    options.also = None
    native = run(options, None) if options.errors == "as-native" else None
    forces = turns(options) if options.turns else [None]
    failed = 0
    for force in forces:
        done = run(options, options.tutti, force)
        found = complaint(done, options.errors is not None, native)
        if found is None:
            continue
        failed += 1
        complaints = [line for line in done.output.splitlines() if line.startswith("FAILED")]
        print(f"FAILED on {options.ranks} ranks{', ' + force if force else ''}: {found}",
              *complaints[:5], done.output[-2000:], sep="\n", flush=True)
        if failed == MOST_FAILURES:
            break
    print(f"{len(forces)} runs, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
