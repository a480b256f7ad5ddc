#!/usr/bin/env python3
"""tutti bench: bench_test.py TUTTI MPI (mpich or openmpi). Needs mpirun and mpicc of that MPI."""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from harness import check, report  # noqa: E402

tutti, mpi = sys.argv[1], sys.argv[2]
os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LAUNCHER = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe"]}[mpi]


def bench(p, *arguments, **environment):
    settings = ["env", *(f"{name}={value}" for name, value in environment.items())]
    return subprocess.run([*LAUNCHER, "-n", str(p), *settings, tutti, "bench", *arguments],
                          capture_output=True, text=True, timeout=120)


def measured(collective, p, *arguments):
    """Every algorithm and the native collective, at every size, right and timed."""
    result = bench(p, collective, "--repetitions", "7", "--json", *arguments)
    check(result.returncode == 0, f"{collective}: {result.returncode} {result.stderr}")
    found = json.loads(result.stdout)
    names = [row["algorithm"] for row in found["rows"]]
    listed = subprocess.run([tutti, "algorithms", collective, "--json"], check=True,
                            capture_output=True, text=True)
    known = [each["name"] for each in json.loads(listed.stdout)]
    sizes = len({row["bytes"] for row in found["rows"]})
    check(names == (known + ["native"]) * sizes, f"{collective}: rows {names}")
    for row in found["rows"]:
        if row["algorithm"] == "exchange_in_place":
            check(row["obstacle"] == "needs a call in place", f"{collective}: {row}")
            continue
        if row["algorithm"] == "census":
            check("exact" in row["obstacle"], f"{collective}: {row}")
            continue
        if row["algorithm"] == "swing" and p & (p - 1) != 0:
            check("power of two" in row["obstacle"], f"{collective}: {row}")
            continue
        check(row["right"] and row["seconds"] > 0, f"{collective}: {row}")
        low, high = row["interval"]
        check(low <= row["seconds"] <= high, f"{collective}: interval {row}")
    check(found["ok"] and found["p"] == p, f"{collective}: {found}")
    return found


def refused(words, *arguments):
    """One line, from one rank, and exit status 2 of the whole run."""
    result = bench(2, *arguments)
    said = [line for line in result.stderr.splitlines() if line.startswith("tutti bench:")]
    name = " ".join(arguments)
    check(result.returncode == 2, f"{name}: exit status {result.returncode}")
    check(len(said) == 1, f"{name}: says {result.stderr}")
    for word in words:
        check(word in " ".join(said), f"{name}: '{word}' is missing in {said}")


def broken_arithmetic():
    """A library to preload in which the arithmetic of Tutti does nothing."""
    folder = tempfile.mkdtemp()
    source = os.path.join(folder, "broken.c")
    with open(source, "w") as file:
        file.write("#include <mpi.h>\nint PMPI_Reduce_local(const void* a, void* b, int n,"
                   " MPI_Datatype t, MPI_Op o)\n{ (void)a; (void)b; (void)n; (void)t; (void)o;"
                   " return MPI_SUCCESS; }\n")
    library = os.path.join(folder, "broken.so")
    subprocess.run(["mpicc." + mpi, "-shared", "-fPIC", source, "-o", library], check=True)
    return library


for each in ["bcast", "gather", "gatherv", "scatter", "scatterv", "reduce"]:
    measured(each, 2, "--bytes", "24,64K", "--root", "1")
for each in ["allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "allreduce", "reduce_scatter_block", "reduce_scatter", "scan",
             "exscan"]:
    measured(each, 2, "--bytes", "24,64K")
measured("barrier", 2)
found = measured("allreduce", 3, "--bytes", "8")
check(found["trustworthy"] == (len(os.sched_getaffinity(0)) >= 3), "who is crowded: " + str(found))

table = bench(2, "allreduce", "--bytes", "8,1K", "--repetitions", "9")
check(table.returncode == 0 and len(table.stdout.splitlines()) >= 8, f"table: {table.stdout}")
rows = list(csv.DictReader(io.StringIO(
    bench(2, "bcast", "--bytes", "8", "--algorithm", "binomial", "--csv").stdout)))
check([row["algorithm"] for row in rows] == ["binomial", "native"], f"csv: {rows}")

ordered = bench(2, "allreduce", "--bytes", "64", "--non-commutative", "--repetitions", "3")
check(ordered.returncode == 0, f"non-commutative: {ordered.stderr}")
check("needs a commutative operator" in ordered.stdout, f"non-commutative: {ordered.stdout}")

alone = bench(1, "allreduce")
check(alone.returncode == 0 and "nothing to compare" in alone.stdout, f"one rank: {alone.stdout}")
crowded = bench(2 * len(os.sched_getaffinity(0)) + 1, "allreduce", "--bytes", "8",
                "--repetitions", "2")
check("not to be trusted" in crowded.stdout, f"crowded: {crowded.stdout} {crowded.stderr}")

wrong = bench(2, "allreduce", "--bytes", "64", "--repetitions", "2", "--non-commutative",
              LD_PRELOAD=broken_arithmetic())
check(wrong.returncode == 1, f"a wrong result: exit status {wrong.returncode} {wrong.stderr}")
check("WRONG RESULT" in wrong.stdout, f"a wrong result: {wrong.stdout}")

refused(["bcats", "known are"], "bcats")
refused(["a collective is needed"])
refused(["rinf", "known are"], "allreduce", "--algorithm", "circulant,rinf")
refused(["12X", "accepted"], "allreduce", "--bytes", "8,12X")
refused(["multiples of 8"], "allreduce", "--bytes", "12")
refused(["too large"], "allreduce", "--bytes", "16384G")
refused(["accepted are 0 to 1"], "bcast", "--root", "2")
refused(["no root"], "allreduce", "--root", "0")
refused(["repetitions", "accepted"], "allreduce", "--repetitions", "0")
refused(["--speed", "accepted"], "allreduce", "--speed", "9")
refused(["exclude"], "allreduce", "--json", "--csv")
refused(["barrier"], "barrier", "--bytes", "8")
refused(["no operator"], "bcast", "--non-commutative")
sys.exit(report())
