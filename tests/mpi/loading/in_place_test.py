#!/usr/bin/env python3
"""MPI_IN_PLACE and MPI_BOTTOM in Fortran libraries that are loaded late, hidden from all others.

  in_place_test.py mpich|openmpi BUILD
"""
import os
import subprocess
import sys

from programs import HERE, Checks, Library

library = Library(sys.argv[1], sys.argv[2])
checks = Checks()
program = os.path.join(library.folder, "in_place")
subprocess.run(["cc", os.path.join(HERE, "in_place.c"), "-w", "-o", program, "-ldl"], check=True)
for options in [[], ["-Wl,-Bsymbolic"]]:
    fortran = library.compiled("in_place.f90", "-shared", "-fPIC", *options, compiler="mpifort",
                               output="in_place.so")
    for preload in ["", None]:
        done = library.run(3, program, fortran, preload=preload, TUTTI_REPORT="1",
                           TUTTI_FORCE="allreduce=recursive_doubling")
        name = f"{options}, {'native' if preload == '' else 'Tutti'}"
        checks.check(done.returncode == 0 and "".join(done.stdout.split()) == "right" * 3, name, done)
        checks.check(preload == "" or "recursive_doubling" in done.stderr, f"{name}: served", done)
sys.exit(checks.status())
