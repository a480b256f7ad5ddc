#!/usr/bin/env python3
"""tutti machine, tutti tune and what follows from them: tune_test.py TUTTI MPI PASSED_ON PROGRAM...

PASSED_ON is passed_on.cpp; PROGRAM is any that calls allreduce. Two ranks; what is fastest is not judged."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from harness import check, report  # noqa: E402

tutti, mpi, passed_on, *PROGRAM = sys.argv[1:]
os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "TUTTI_NATIVE_FIRST": "0"}
LAUNCHER = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe"]}[mpi]
FOLDER = tempfile.TemporaryDirectory()
MACHINE, SITE = (os.path.join(FOLDER.name, name) for name in ("machine.json", "site.json"))


def run(*arguments, p=2):
    return subprocess.run([*LAUNCHER, "-n", str(p), *arguments], capture_output=True, text=True,
                          timeout=200)


def refused(result, words):
    check(result.returncode != 0 and words in result.stderr, f"{words}: {result.stderr}")


result = run(tutti, "machine", "-o", MACHINE)
check(result.returncode == 0 and "inside a node" in result.stdout, f"{result}")
machine = json.loads(pathlib.Path(MACHINE).read_text())
check(machine["alpha"] > 0 and machine["beta"] > 0 and machine["gamma"] > 0, f"{machine}")
check(machine["ranks_per_node"] == 2, f"{machine}")
if len(os.sched_getaffinity(0)) >= 2:
    memory = machine["memory"]
    check("memory of a node" in result.stdout and memory["lent_from"] in (0, 16384), f"{memory}")
    check(all(memory[each] > 0 for each in ("latency", "entry", "copy", "together")), f"{memory}")

result = run(tutti, "tune", "-o", SITE, "--machine", MACHINE, "--collectives", "allreduce",
             "--bytes", "8,64K")
check(result.returncode == 0, f"{result}")
profile = json.loads(pathlib.Path(SITE).read_text())
points = profile["runs"][0]["collectives"]["allreduce"]
check([point["bytes"] for point in points] == [8, 65536], f"{points}")

# Nothing is left to measure: the same again at once.
before = pathlib.Path(SITE).read_bytes()
result = run(tutti, "tune", "-o", SITE, "--machine", MACHINE, "--collectives", "allreduce",
             "--bytes", "8,64K")
check(result.returncode == 0 and pathlib.Path(SITE).read_bytes() == before, f"{result}")

# How messages went belongs to the profile.
FRAGMENTS, OTHER = (os.path.join(FOLDER.name, name) for name in ("fragments.json", "other.json"))
pathlib.Path(FRAGMENTS).write_text(json.dumps(machine | {"fragment": 1200}))
result = run(tutti, "tune", "-o", OTHER, "--machine", FRAGMENTS, "--collectives", "bcast", "--bytes",
             "8")
check(result.returncode == 0, f"{result}")
check(json.loads(pathlib.Path(OTHER).read_text())["runs"][0]["fragment"] == 1200, "fragment")
refused(run(tutti, "tune", "-o", OTHER, "--machine", MACHINE, "--bytes", "8"),
        "was measured with `fragment` 1200 in the machine file, not 0")

explained = subprocess.run([tutti, "explain", "allreduce", "--ranks", "2", "--bytes", "64K",
                            "--machine", MACHINE, "--profile", SITE, "--json"],
                           capture_output=True, text=True)
check(explained.returncode == 0, explained.stderr)
choice = json.loads(explained.stdout)
check(choice["chosen"] == points[1]["winner"].split(":")[0], f"{choice['chosen']} {points[1]}")
check(choice["why"] == "fastest when measured with p = 2, 65536 bytes", choice["why"])

# A program follows it.
points[0]["winner"] = "native"
pathlib.Path(SITE).write_text(json.dumps(profile))
TRACE = os.path.join(FOLDER.name, "trace.json")
result = run(tutti, "exec", "--report", "--trace", TRACE, "--machine", MACHINE, "--profile", SITE,
             "--", *PROGRAM)
check(result.returncode == 0, f"{result}")
rows = [line.split() for line in result.stderr.splitlines() if line.startswith("  allreduce ")]
check("best known" in result.stderr and rows, f"{result}")
check(any(row[-6] == "native" for row in rows), f"{rows}")
# Microseconds are shown: of a few short calls it may be none.
many = [row for row in rows if row[1] == "2" and int(row[-4]) >= 20]
check(many and all(float(row[-2]) > 0 and float(row[-1]) > 0 for row in many), f"{rows}")
traced = json.loads(pathlib.Path(TRACE).read_text())["calls"]
check(len(traced) >= len(rows), f"{traced} {rows}")
advised = subprocess.run([tutti, "advise", TRACE, "--machine", MACHINE, "--profile", SITE],
                         capture_output=True, text=True)
check(advised.returncode == 0 and "allreduce" in advised.stdout, f"{advised}")
result = run(tutti, "exec", "--trace", "/nonexistent/trace.json", "--", *PROGRAM)
check(result.returncode == 0 and "/nonexistent/trace.json" in result.stderr, f"{result}")

# Calls that the profile gives to the native collective go there; none that only resembles them does.
OWN = {"allreduce": "recursive_doubling", "reduce_scatter": "pairwise"}
profile["runs"][0]["collectives"] = {
    collective: [{"bytes": bytes, "winner": winner, "seconds": {winner: 1e-6, "native": 1e-6}}
                 for bytes, winner in ((8, "native"), (65536, own))]
    for collective, own in OWN.items()}
pathlib.Path(SITE).write_text(json.dumps(profile))
result = run(tutti, "exec", "--profile", SITE, "--", passed_on)
check(result.returncode == 0 and " 0 failed" in result.stdout, f"{result}")

profile["library"] = "Another MPI 1.0"
pathlib.Path(SITE).write_text(json.dumps(profile))
result = run(tutti, "exec", "--profile", SITE, "--", *PROGRAM)
warning = "was measured with 'Another MPI 1.0'"
check(result.returncode == 0 and result.stderr.count(warning) == 1, f"left aside: {result}")
result = run(tutti, "tune", "-o", SITE, "--collectives", "allreduce", "--bytes", "8")
refused(result, "was measured with 'Another MPI 1.0'")
check(json.loads(pathlib.Path(SITE).read_text()) == profile, "a file was overwritten")

refused(run(tutti, "tune"), "a file to write is needed")
refused(run(tutti, "tune", "-o", "/nonexistent/site.json"), "/nonexistent")
refused(run(tutti, "machine", "-o", "/nonexistent/machine.json"), "/nonexistent")
refused(run(tutti, "tune", "-o", SITE, "--budget", "soon"), "'soon' is no time")
refused(run(tutti, "tune", "-o", SITE, "--bytes", "9"), "multiples of 8")
refused(run(tutti, "machine", p=1), "two or more")
refused(run(tutti, "exec", "--profile", "/nonexistent.json", "--", *PROGRAM), "cannot be read")

# A rank that is alone with a mistake names it.
result = run(tutti, "exec", "--", *PROGRAM, ":", "-n", "1", "env", "TUTTI_MACHINE=/nonexistent.json",
             tutti, "exec", "--", *PROGRAM, p=1)
refused(result, "tutti: rank 1: TUTTI_MACHINE: machine file '/nonexistent.json': cannot be read")

sys.exit(report())
