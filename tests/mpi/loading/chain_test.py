#!/usr/bin/env python3
"""Tutti beside other preloaded tools that wrap MPI's functions, in front of it and behind.

  chain_test.py mpich|openmpi BUILD
"""
import re
import sys

from programs import Checks, Library

library = Library(sys.argv[1], sys.argv[2])
checks = Checks()


def tool(name, *options):
    return library.compiled("counting.c", f'-DNAME="{name}"', "-shared", "-fPIC", *options,
                            output=name + ".so")


program = library.compiled("plugin.c")  # three calls of MPI_Allreduce
front, behind = tool("front", "-DNEXT"), tool("behind")
behind_next = tool("behind_next", "-DNEXT")


def saw(what, preloads, expected, **environment):
    """Runs the program with these preloaded; each tool must have seen so many calls."""
    done = library.run(2, program, preload=" ".join(preloads), TUTTI_REPORT="1",
                       TUTTI_FORCE="allreduce=circulant", **environment)
    seen = {name: int(number) for name, number in re.findall(r"(\w+) saw (\d+)", done.stderr)}
    right = done.returncode == 0 and done.stdout.count("right with the engine") == 2
    checks.check(right and seen == expected, f"{what}: {expected}, not {seen}", done)
    return done.stderr


NATIVE = {"TUTTI_NATIVE_FIRST": "100"}
all_of_them = [front, library.stub, behind]
for chain in "0", "1":
    said = saw("served", all_of_them, {"front": 3, "behind": 0}, TUTTI_CHAIN=chain)
    checks.check("circulant" in said, "served behind a tool: " + said)
saw("native", all_of_them, {"front": 3, "behind": 0}, **NATIVE)
saw("native, chained", all_of_them, {"front": 3, "behind": 3}, TUTTI_CHAIN="1", **NATIVE)
saw("native, chained twice", [library.stub, behind_next, behind],
    {"behind_next": 3, "behind": 3}, TUTTI_CHAIN="1", **NATIVE)
saw("native, chained to nobody", [library.stub], {}, TUTTI_CHAIN="1", **NATIVE)
sys.exit(checks.status())
