#!/usr/bin/env python3
"""The cluster half of `make demo`: Tutti against four MPI libraries' own choices of algorithm, on a
simulated 33-node 10 Gbit/s cluster (and 32 nodes for contrast, allreduce only).

    demo.py --build build/simgrid --out demo

The four peers are SMPI's selectors mpich, ompi, mvapich2 and impi. Every figure comes from a call
whose results were verified element by element. A peer that answers wrongly at any size does not
count for that collective and p; one that dies or dead-locks is named in its cell.

Writes OUT/cluster.txt (the table), cluster.csv (raw), cluster.svg and cluster.png (allreduce).
"""
import argparse
import os
import tempfile
import time

import demo_plot
import demo_table
import files
import platforms
import runner
import sweep

PLATFORM = "eth10g"
P, P_CONTRAST = 33, 32
COLLECTIVES = ("barrier bcast gather scatter allgather reduce allreduce reduce_scatter_block "
               "reduce_scatter alltoall scan exscan").split()
SIZES = [8, 1 << 10, 1 << 16, 1 << 20]
PLOTTED_SIZES = [8 << k for k in range(22)]  # 8 B to 16 MiB
HEADLINE_SIZE = 1 << 20


def demo_jobs(build, options):
    """Longest jobs first, so that both processors are busy to the end."""
    contenders = [sweep.contender(name, build) for name in ("tutti", *sweep.PEERS)]
    plots = [sweep.job(PLATFORM, P, who, "allreduce", PLOTTED_SIZES, options)
             for who in contenders]
    contrast = [sweep.job(PLATFORM, P_CONTRAST, who, "allreduce", SIZES, options)
                for who in contenders]
    others = [sweep.job(PLATFORM, P, who, collective, SIZES, options)
              for collective in COLLECTIVES if collective != "allreduce" for who in contenders]
    return [job for job in plots + contrast + others if job]


def headline(table, p):
    point = table.point("allreduce", p, HEADLINE_SIZE)
    name = f"allreduce, 1 MiB, p = {p}"
    if point.tutti is None:
        return f"{name}: Tutti has no result ({point.cell('tutti').strip()})"
    text = f"{name}: Tutti {point.tutti:.1f} us, {point.tutti / point.bound:.2f} times the bound"
    if point.best_peer is None:
        return text + "; no peer has a result"
    peer, peer_time = point.best_peer
    return (f"{text}; best peer {demo_table.LABELS[peer]} {peer_time:.1f} us, "
            f"{peer_time / point.bound:.2f} times; speed-up {point.speed_up:.2f}")


def report(rows, gamma, wall):
    table = demo_table.Table(rows, PLATFORM)
    reductions = f"{1 / gamma / 1e9:.3g} GB/s" if gamma else "free"
    link = platforms.PLATFORMS[PLATFORM].link
    head = [
        f"Simulated cluster (SimGrid SMPI), one rank per node: alpha {link.alpha * 1e6:g} us, "
        f"{link.bandwidth / 1e9:g} GB/s each way, reductions {reductions}.",
        "Times of one call in us of simulated time, all results verified. n: bytes of the whole",
        "message (alltoall: sent per rank). Bound: the larger of the latency term (optimal tree)",
        "and the bandwidth term. Peers: SMPI's selectors of algorithms for these libraries.", ""]
    body = [line for p in (P, P_CONTRAST) for line in [*table.lines(p, COLLECTIVES, SIZES), ""]]
    return "\n".join([*head, *body, *table.notes(), f"Simulated in {wall:.0f} s.", "",
                      headline(table, P), headline(table, P_CONTRAST), ""])


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/simgrid",
                        help="build tree with bin/cluster_bench and bin/cluster_bench_tutti")
    parser.add_argument("--out", default="demo", help="directory to write to")
    parser.add_argument("--gamma", type=float, default=0.0,
                        help="seconds per byte of reduction, charged to all alike (default: free)")
    parser.add_argument("--parallel", type=int, default=2, help="simulations at once")
    parser.add_argument("--timeout", type=float, default=90.0, help="wall seconds for a job")
    arguments = parser.parse_args()
    for name in ("tutti", "mpich"):
        program = sweep.contender(name, arguments.build).program
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is not there: build the target {os.path.basename(program)}")
    return arguments


def main():
    arguments = read_arguments()
    os.makedirs(arguments.out, exist_ok=True)
    options = sweep.bench_options(check=True, gamma=arguments.gamma)
    start = time.time()
    with tempfile.TemporaryDirectory(prefix="platforms.") as directory:
        platforms.write_all(directory)
        rows = runner.Runner(directory, arguments.parallel, arguments.timeout).run(
            demo_jobs(arguments.build, options))
    runner.write_csv(os.path.join(arguments.out, "cluster.csv"), rows)
    text = report(rows, arguments.gamma, time.time() - start)
    files.write_atomically(os.path.join(arguments.out, "cluster.txt"), text)
    print(text)
    demo_plot.draw_allreduce(rows, PLATFORM, P, arguments.out)
    print("Written: " + ", ".join(os.path.join(arguments.out, f"cluster.{kind}")
                                  for kind in ("txt", "csv", "svg", "png")))


if __name__ == "__main__":
    runner.run_main(main)
