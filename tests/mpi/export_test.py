#!/usr/bin/env python3
"""tutti tune --peers and tutti export, and whether the library obeys: export_test.py TUTTI MPI
MESSAGES [YIELDING]

MESSAGES is messages.cpp. An algorithm is known by how many messages each rank sends. YIELDING is
the library that makes MPICH yield. Which algorithm is fastest is not judged: the times are
replaced."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from harness import check, report  # noqa: E402

tutti, mpi, messages, *yielding = sys.argv[1:]
FOLDER = tempfile.TemporaryDirectory()
SITE, RULES = (os.path.join(FOLDER.name, name) for name in ("site.json", "rules"))
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("MPIR_CVAR", "OMPI_MCA"))}
CLEAN |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
          "UCPYIELD_SLEEP": "50"}
LAUNCHER = {"mpich": ["mpirun.mpich"],
            "openmpi": ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1",
                        "--mca", "pml_monitoring_enable", "1"]}[mpi]
TUNED = {"mpich": "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
         "openmpi": "OMPI_MCA_coll_tuned_dynamic_rules_filename"}[mpi]
DEVICE = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"
DYNAMIC = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}


def run(*program, p=4, **settings):
    preload = [f"LD_PRELOAD={library}" for library in yielding]
    return subprocess.run([*LAUNCHER, "-n", str(p), "env", *preload, *program],
                          env=CLEAN | settings, capture_output=True, text=True, timeout=100)


def sent(call, p=4, **settings):
    """By each rank. Open MPI tells that in a file for each: lines that ranks print may be cut by
    others'."""
    with tempfile.TemporaryDirectory() as told:
        result = run(messages, call, p=p, OMPI_MCA_pml_monitoring_enable_output="3",
                     OMPI_MCA_pml_monitoring_filename=f"{told}/rank", **settings)
        files = "".join(file.read_text() for file in pathlib.Path(told).iterdir())
    check(result.returncode == 0, f"{call}: {result}")
    numbers = collections.Counter()
    for rank, number in re.findall(r"^E\t(\d+)\t.*?(\d+) msgs sent", result.stdout + files,
                                   re.MULTILINE):
        numbers[int(rank)] += int(number)
    return [numbers[rank] for rank in range(p)]


def forced(name):
    """What makes the library use one of its algorithms everywhere, by its own settings."""
    algorithm, _, segment = name.removeprefix("native:").partition(":")
    if mpi == "mpich":
        return {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": algorithm,
                "MPIR_CVAR_BCAST_DEVICE_COLLECTIVE": "0"}
    return DYNAMIC | {"OMPI_MCA_coll_tuned_bcast_algorithm": algorithm,
                      "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize": segment or "0"}


def export(to=mpi):
    return subprocess.run([tutti, "export", "--to", to, SITE, "-o", RULES], capture_output=True,
                          text=True)


def tune(*options):
    return run(tutti, "tune", "-o", SITE, "--collectives", "bcast", *options)


# A profile without the library's algorithms is gone on with.
result = tune("--bytes", "64")
check(result.returncode == 0, f"{result}")
result = export()
check(result.returncode == 2 and "tutti tune --peers" in result.stderr, f"{result}")
for _ in range(2):
    result = tune("--bytes", "64,64K", "--peers")
    check(result.returncode == 0, f"{result}")
profile = json.loads(pathlib.Path(SITE).read_text())
points = profile["runs"][0]["collectives"]["bcast"]
check([point["bytes"] for point in points] == [64, 65536], f"{points}")
SMALL, LARGE, OTHER = {
    "mpich": ("native:scatter_ring_allgather", "native:scatter_recursive_doubling_allgather",
              "native:binomial"),
    "openmpi": ("native:basic_linear", "native:pipeline:8192", "native:binomial")}[mpi]
for point in points:
    check(not point["winner"].startswith("native:"), f"{point}")
    check({SMALL, OTHER} <= set(point["seconds"]), f"{point}")
check(LARGE in points[1]["seconds"], f"{points}")
before = pathlib.Path(SITE).read_bytes()
check(tune("--bytes", "64,64K").returncode == 0 and pathlib.Path(SITE).read_bytes() == before,
      "all that is asked for is there")

# Times such that the choice is known. 2048 is the geometric mean of the two sizes.
points[0]["seconds"][SMALL] = points[1]["seconds"][LARGE] = 1e-12
bruck = {"mpich": "native:brucks", "openmpi": "native:modified_bruck"}[mpi]
reduction = {"mpich": "native:reduce_scatter_allgather", "openmpi": "native:ring"}[mpi]
profile["runs"][0]["collectives"] |= {
    "allreduce": [{"bytes": 4096, "winner": "native",
                   "seconds": {"native": 1e-3, reduction: 1e-6}}],
    "alltoall": [{"bytes": bytes, "winner": "native", "seconds": {"native": 1e-6, bruck: seconds}}
                 for bytes, seconds in [(4096, 1e-9), (65536, 1e-3)]]}
pathlib.Path(SITE).write_text(json.dumps(profile))
result = export()
check(result.returncode == 0 and TUNED.removeprefix("OMPI_MCA_") in result.stdout, f"{result}")
rules = DYNAMIC | {TUNED: RULES, DEVICE: f"{RULES}.device"}
expected = [sent("bcast:2040", **forced(SMALL)), sent("bcast:65536", **forced(LARGE))]
check(expected[0] != expected[1], f"{expected}")
for call, numbers in [("bcast:2040", expected[0]),
                      ("bcast:2048", sent("bcast:2048", **forced(LARGE))),
                      ("bcast:65536", expected[1])]:
    obeyed = sent(call, **rules)
    check(obeyed == numbers, f"{call}: {obeyed}, not {numbers}")
    check(sent(call) != numbers, f"{call}: the library would do so by itself")

# Other communicators are left alone, and so are the calls that an algorithm does not serve.
check(sent("bcast:2040", p=3, **rules) == sent("bcast:2040", p=3), "3 ranks")
check(sent("bcast:2040", p=5, **rules) == sent("bcast:2040", p=5), "5 ranks")
check(sent("alltoall:4096", **rules) == [2, 2, 2, 2], "lg(4) rounds")
check(sent("alltoall_in_place:4096", **rules) == sent("alltoall_in_place:4096"), "in place")
call = {"mpich": "allreduce_own_operator:4096", "openmpi": "allreduce:4096"}[mpi]
check(sent(call, **rules) == sent(call), "operators that do not commute")
if mpi == "mpich":
    check(sent(call, **rules) != sent("allreduce:4096", **rules), "its own operators")
check(export("intel").returncode == 0, "Intel MPI takes what is measured with any library")
check(export({"mpich": "openmpi", "openmpi": "mpich"}[mpi]).returncode == 2, "another library")

# A user's rules would go before what tune forces.
if mpi == "openmpi":
    result = run(tutti, "tune", "--peers", "-o", SITE, **rules)
    check(result.returncode != 0 and "dynamic_rules_filename is set" in result.stderr, f"{result}")

sys.exit(report())
