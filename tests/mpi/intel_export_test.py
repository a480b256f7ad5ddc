#!/usr/bin/env python3
"""Whether Intel MPI obeys what tutti export writes for it: intel_export_test.py TUTTI COMPILER

Its ranks talk over TCP. An algorithm is known by how many bytes each rank sends (socket_bytes.c)."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from harness import check, report  # noqa: E402

tutti, compiler = sys.argv[1:]
FOLDER = tempfile.TemporaryDirectory()
PROGRAM, SITE, RULES = (os.path.join(FOLDER.name, name)
                        for name in ("socket_bytes", "site.json", "adjust.sh"))
P = 4
OVER_TCP = {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo"}
subprocess.run([compiler, "-w", HERE / "socket_bytes.c", "-rdynamic", "-ldl", "-o", PROGRAM],
               check=True)


def sent(collective, n, before=""):
    """By each rank, of n bytes."""
    command = f"{before}\nexec mpirun -n {P} {PROGRAM} {collective} {n}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=100,
                          env={**os.environ, **OVER_TCP})
    line = [line for line in done.stdout.splitlines() if line.startswith("sent")]
    check(done.returncode == 0 and line, f"{collective} of {n}: {done}")
    # What is not the message is less than a tenth of it.
    return [round(int(number) / n * P) / P for number in line[0].split()[1:]] if line else []


# What each of four ranks sends, in parts of the whole message: MPICH's names. Allgather's send alike.
DOUBLING, SHARES = [2.0] * P, [1.5] * P
SENT = {
    "bcast": {"binomial": [2.0, 0.0, 1.0, 0.0],
              "scatter_recursive_doubling_allgather": [1.5, 0.75, 1.0, 0.75],
              "scatter_ring_allgather": [1.5, 0.75, 1.0, 0.75]},
    "reduce": {"binomial": [0.0, 1.0, 1.0, 1.0], "reduce_scatter_gather": [0.75, 1.25, 1.0, 1.0]},
    "allreduce": {"recursive_doubling": DOUBLING, "reduce_scatter_allgather": SHARES},
    "reduce_scatter": {"pairwise": [0.75] * P, "recursive_doubling": [1.25] * P},
    "alltoall": {"brucks": [1.0] * P, "pairwise": [0.75] * P},
    "gather": {"binomial": [0.0, 0.25, 0.5, 0.25]},
    "scatter": {"binomial": [0.75, 0.0, 0.25, 0.0]},
}
SMALL, LARGE = 4096, 262144  # whose geometric mean is 32768


def point(n, winner):
    return {"bytes": n, "winner": "native", "seconds": {"native": 1e-6, f"native:{winner}": 1e-7}}


def export(points):
    pathlib.Path(SITE).write_text(json.dumps(
        {"tutti_profile": 1, "library": "MPICH Version: 4.0.2", "machine": "m",
         "date": "2026-11-29",
         "runs": [{"ranks": P, "ranks_per_node": P, "collectives": points}]}))
    done = subprocess.run([tutti, "export", "--to", "intel", SITE, "-o", RULES],
                          capture_output=True, text=True)
    check(done.returncode == 0, f"{done}")


for turn in range(2):
    # Each collective's algorithms in turn: one below the cut-off, another from it on.
    chosen = {collective: (list(of_it)[turn % len(of_it)], list(of_it)[(turn + 1) % len(of_it)])
              for collective, of_it in SENT.items()}
    export({collective: [point(SMALL, below), point(LARGE, above)]
            for collective, (below, above) in chosen.items()})
    for collective, (below, above) in chosen.items():
        for n, name in [(32768 - 64, below), (32768, above)]:
            obeyed = sent(collective, n, f". {RULES}")
            check(obeyed == SENT[collective][name], f"{collective} of {n}: {obeyed}, not {name}'s")
sys.exit(report())
