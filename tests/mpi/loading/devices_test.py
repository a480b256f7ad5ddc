#!/usr/bin/env python3
"""Buffers in a device's memory: such calls are native on all ranks, whoever passes one.

  devices_test.py mpich|openmpi BUILD
"""
import json
import os
import sys

from programs import Checks, Library

library = Library(sys.argv[1], sys.argv[2])
checks = Checks()
program = library.compiled("devices.c")
trace = os.path.join(library.folder, "trace.json")
FORCED = {"allreduce": "circulant", "bcast": "binomial", "allgatherv": "ring", "gatherv": "linear",
          "barrier": "dissemination"}
LONG = {"allreduce", "bcast", "allgatherv"}


def served_of(when, passer, device, **environment):
    """What Tutti serves with its own algorithms, of three calls of each collective: (collective,
    whether it is long). All must be served, or all native."""
    words = [program, device, when, str(passer)]
    done = library.run(3, *words, TUTTI_TRACE=trace,
                       TUTTI_FORCE=",".join(f"{name}={how}" for name, how in FORCED.items()),
                       **{"TUTTI_DEVICES": "", **environment})
    checks.check(done.returncode == 0 and done.stdout.count("right") == 3, f"{words}", done)
    served = set()
    with open(trace, encoding="utf-8") as source:
        for line in json.load(source)["calls"]:
            if line["algorithm"] == FORCED[line["collective"]]:
                checks.check(line["calls"] in (3, 4), f"{words}: {line}")
                served.add((line["collective"], line["bytes"] >= 65536))
    return served


def expect(what, found, expected):
    checks.check(found == expected, f"{what}: served are {sorted(found)}")


barrier = {("barrier", False)}
long_calls = barrier | {(name, True) for name in LONG}
everything = long_calls | {("allreduce", False), ("gatherv", True)}
cuda = library.compiled("stand_in.c", "-shared", "-fPIC", output="libcuda.so.1")
hsa = library.compiled("stand_in.c", "-shared", "-fPIC", "-DHSA", output="libhsa-runtime64.so.1")
expect("told that there are none", served_of("early", -2, cuda, TUTTI_DEVICES="0"), everything)
for device in cuda, hsa:
    expect("no buffer is there", served_of("early", -2, device), long_calls)
    for passer in -1, 0, 2:
        expect(f"rank {passer} has its buffers there", served_of("early", passer, device), barrier)
expect("loaded late", served_of("late", 1, cuda, TUTTI_DEVICES="1"), barrier)
sys.exit(checks.status())
