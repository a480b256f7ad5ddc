#!/usr/bin/env python3
"""Spawned programs get Tutti too, where the launcher lets them: spawn_test.py openmpi BUILD"""
import sys

from programs import Checks, Library

library = Library(sys.argv[1], sys.argv[2])
checks = Checks()
program = library.compiled("spawn.c")
done = library.run(2, program, TUTTI_FORCE="allreduce=circulant")
expected = ["spawn: preloaded 1, forced 1, own 0", "multiple: preloaded 1, forced 0, own 1",
            "multiple: preloaded 1, forced 1, own 0", "the user's info as it was"]
checks.check(done.returncode == 0 and done.stdout.splitlines() == expected, "with Tutti", done)
done = library.run(2, program, preload="", TUTTI_FORCE="")
expected = ["spawn: preloaded 0, forced 0, own 0", "multiple: preloaded 0, forced 0, own 1",
            "multiple: preloaded 0, forced 0, own 0", "the user's info as it was"]
checks.check(done.returncode == 0 and done.stdout.splitlines() == expected, "natively", done)
sys.exit(checks.status())
