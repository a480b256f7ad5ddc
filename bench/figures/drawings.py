"""Figures 1, 2, 7, 9, 12 and 13: who sends which blocks to whom, by `tutti draw`."""
import os
import subprocess

import files
import plot

DRAWINGS = {
    1: ("allgather", "recursive_doubling", 8),
    2: ("allgather", "bruck", 6),
    7: ("alltoall", "bruck", 6),
    9: ("reduce_scatter_block", "recursive_halving", 8),
    12: ("allreduce", "halving_doubling", 13),
    13: ("allreduce", "binary_blocks", 13),
}
BYTES_PER_RANK = 1024


def make(model, out):
    numbers, rows = {}, []
    for number, (collective, algorithm, p) in DRAWINGS.items():
        with files.replacing(os.path.join(out, f"figure{number:02d}.svg")) as path:
            subprocess.run([model.tutti, "draw", collective, "--algorithm", algorithm, "--ranks",
                            str(p), "-o", path], check=True, stdout=subprocess.DEVNULL)
        counts = model.call(collective, p, p * BYTES_PER_RANK).details[algorithm]
        rows.append([number, collective, algorithm, p, counts["rounds"], counts["messages"],
                     counts["bytes"] / BYTES_PER_RANK, counts["most_sent"] / BYTES_PER_RANK])
        numbers[f"rounds{number}"] = str(counts["rounds"])
    plot.write_csv(os.path.join(out, "drawings.csv"),
                   ["figure", "collective", "algorithm", "p", "rounds", "messages",
                    "blocks sent by all", "blocks sent by the busiest rank"], rows)
    return numbers
