#!/usr/bin/env python3
"""Times collectives on simulated clusters: platforms x p x contenders x collectives x sizes -> CSV.

    sweep.py --build build/simgrid --platforms eth10g,edr --procs 8,17,33 --out times.csv
    sweep.py --build build/simgrid --platforms edr --procs 8,17 --check --out check.csv

Without --check no payloads are moved ("dry"): the same times to the last digit, far less memory.
Sizes are bytes of the whole message (call.hpp says of what), or with K or M.
"""
import argparse
import os
import tempfile
import time

import platforms
import runner

CHOSEN = ("bcast reduce allreduce allgather alltoall reduce_scatter_block reduce_scatter gather "
          "scatter barrier allgatherv alltoallv gatherv scatterv scan exscan").split()
PEERS = {"mpich": "MPICH", "ompi": "Open MPI", "mvapich2": "MVAPICH2", "impi": "Intel MPI"}

# SMPI's scans are one flat algorithm whatever the selector. cluster_bench has written out what
# these two libraries do; the other peers have no scan here.
REFERENCE_SCANS = {"mpich": "doubling", "ompi": "chain"}
# SMPI has one linear algorithm for these, whatever the selector: run for the first peer only.
WITHOUT_SELECTION = ("gatherv", "scatterv")


def contender(name, build):
    """tutti, or one of SMPI's selectors by its name."""
    binary = os.path.join(build, "bin", "cluster_bench")
    if name == "tutti":
        return runner.Contender("tutti", binary + "_tutti", "default", "dlopen")
    return runner.Contender(name, binary, name)


def job(platform, p, who, collective, sizes, options):
    """The job that measures a collective for a contender, or None if it has no such collective."""
    sizes = (0,) if collective == "barrier" else tuple(sizes)
    if who.name == "tutti":
        return runner.Job(platform, p, who, collective, sizes, options)
    if collective in WITHOUT_SELECTION and who.name != next(iter(PEERS)):
        return None
    if collective not in ("scan", "exscan"):
        return runner.Job(platform, p, who, collective, sizes, options)
    if who.name not in REFERENCE_SCANS:
        return None
    actual = f"{collective}_{REFERENCE_SCANS[who.name]}"
    return runner.Job(platform, p, who, actual, sizes, options, report_as=collective)


def all_jobs(arguments, options):
    jobs = [job(platform, p, contender(name, arguments.build), collective, arguments.sizes, options)
            for platform in arguments.platforms for p in arguments.procs
            for name in arguments.contenders for collective in arguments.collectives]
    return [j for j in jobs if j]


def words(text):
    return text.split(",")


def sizes(text):
    try:
        return [runner.parse_size(part) for part in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error))


def rank_counts(text):
    try:
        counts = [int(part) for part in text.split(",")]
    except ValueError:
        counts = [0]
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(f"'{text}': whole numbers from 1, with commas between")
    return counts


def add_clusters(parser, chosen_platforms):
    """What is run, and where: the options of all that run many jobs."""
    add = parser.add_argument
    add("--build", default="build/simgrid", help="build tree with bin/cluster_bench[_tutti]")
    add("--platforms", type=words, default=chosen_platforms,
        help=f"of {','.join(platforms.PLATFORMS)}")
    add("--procs", type=rank_counts, default=[8, 16, 17, 33, 64, 100], help="numbers of ranks")
    add("--collectives", type=words, default=CHOSEN)
    add("--parallel", type=int, default=2, help="jobs at once")


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add_clusters(parser, ["eth10g", "edr"])
    add("--contenders", type=words, default=["tutti", *PEERS], help="tutti or selectors of SMPI")
    add("--sizes", type=sizes, default=sizes("8,1K,8K,64K,512K,4M,32M"))
    add("--check", action="store_true", help="move and verify the data")
    add("--gamma", type=float, default=0.0, help="seconds per byte of reduction (0: free)")
    add("--reps", type=int, default=2)
    add("--root", type=int, default=0)
    add("--timeout", type=float, default=90.0, help="wall seconds for a job")
    add("--out", required=True, help="CSV file to write")
    arguments = parser.parse_args()
    unknown = set(arguments.platforms) - set(platforms.PLATFORMS)
    if unknown:
        parser.error(f"unknown platform {', '.join(sorted(unknown))}; there are "
                     f"{', '.join(platforms.PLATFORMS)}")
    for name in arguments.contenders:
        program = contender(name, arguments.build).program
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is not there: build the target {os.path.basename(program)}")
    return arguments


def bench_options(check, gamma=0.0, reps=2, root=0):
    return ("--check" if check else "--dry", f"--gamma={gamma:g}", f"--reps={reps}",
            f"--root={root}")


def main():
    arguments = read_arguments()
    options = bench_options(arguments.check, arguments.gamma, arguments.reps, arguments.root)
    jobs = all_jobs(arguments, options)
    start = time.time()
    with tempfile.TemporaryDirectory(prefix="platforms.") as directory:
        platforms.write_all(directory)
        rows = runner.Runner(directory, arguments.parallel, arguments.timeout).run(jobs)
    runner.write_csv(arguments.out, rows)
    failed = [r for r in rows if r.outcome not in ("right", "unchecked")]
    print(f"{len(rows)} rows in {arguments.out}, {len(failed)} of them without a good result, "
          f"{time.time() - start:.0f} s")
    for r in failed:
        print(f"  {r.platform} p={r.p} {r.contender} {r.collective} "
              f"{runner.size_name(r.n)}: {r.outcome}")


if __name__ == "__main__":
    runner.run_main(main)
