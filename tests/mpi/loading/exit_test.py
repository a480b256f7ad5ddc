#!/usr/bin/env python3
"""Collectives, MPI_Finalize and the report at the very end of a program.

  exit_test.py mpich|openmpi BUILD
"""
import sys

from programs import HERE, Checks, Library

library = Library(sys.argv[1], sys.argv[2])
checks = Checks()
program = library.compiled("exit.cpp", compiler="mpicxx")
force = "allreduce=recursive_doubling,barrier=dissemination"
for where in ["destructor", "atexit"]:
    for what in ["same", "barrier", "size", "comm", "finalize"]:
        for report in ["0", "1"]:
            done = library.run(3, program, what, where, TUTTI_REPORT=report, TUTTI_FORCE=force)
            name = f"{what} in {where}, report {report}"
            checks.check(done.returncode == 0, f"{name}: exit status {done.returncode}", done)
            checks.check(done.stdout.split() == ["done", what], f"{name}: {done.stdout}", done)
            if report == "1":
                checks.check("recursive_doubling" in done.stderr, f"{name}: no report", done)

# Debian's mpi4py is for Open MPI, and for Debian's Python.
if library.name == "openmpi":
    done = library.run(3, "/usr/bin/python3", HERE + "/exit.py", TUTTI_REPORT="1",
                       TUTTI_FORCE=force)
    is_right = done.returncode == 0 and "".join(done.stdout.split()) == "right" * 3
    checks.check(is_right, "Python's atexit", done)
    checks.check("recursive_doubling" in done.stderr, "Python: no report", done)
sys.exit(checks.status())
