#!/usr/bin/env python3
"""The figures of Thakur, Rabenseifner and Gropp (2005), of Sanders, Speck and Traeff (2007) and of
Fan et al. (2022), drawn again: `make figures`.

    figures.py --tutti build/openmpi/bin/tutti --build build/simgrid --out docs/figures

Writes an SVG and a CSV per figure to OUT, numbers.csv, cluster.csv (every run on simulated
clusters), and the numbers between markers in PAGE. Without --only, everything.
"""
import argparse
import json
import os
import sys
import time

import all_to_all
import allreduce
import cluster_runs
import curves
import drawings
import model as models
import old_mpich
import page
import plot
import runner
import two_trees
import vendors

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINE = os.path.join(HERE, "myrinet2000.json")
SIMPLEX = os.path.join(HERE, "simplex.json")  # the same; a message one way takes half the time
VENDOR_GAMMA = 5e-11  # seconds per byte, as the machine that Tutti assumes by default
PARTS = ("drawings", "curves", "allreduce", "old", "vendors", "two_trees", "all_to_all")


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutti", default="build/openmpi/bin/tutti")
    parser.add_argument("--build", default="build/simgrid", help="build tree of preset simgrid")
    parser.add_argument("--out", default="docs/figures", help="directory to write to")
    parser.add_argument("--page", help="page whose numbers are to be replaced")
    parser.add_argument("--parallel", type=int, default=2, help="simulations at once")
    parser.add_argument("--only", choices=PARTS, help="one part only; the page stays as it is")
    arguments = parser.parse_args()
    if not os.access(arguments.tutti, os.X_OK):
        parser.error(f"{arguments.tutti} is not there: scripts/build openmpi")
    cluster_runs.check_build(arguments.build)
    return arguments


def make_part(part, model, cluster, out):
    with open(MACHINE, encoding="utf-8") as source:
        gamma = json.load(source)["gamma"]
    if part == "drawings":
        return drawings.make(model, out)
    if part == "curves":
        return curves.make(model, cluster, gamma, out)
    if part == "allreduce":
        return allreduce.make(model, models.Model(model.tutti, SIMPLEX, model.parallel), out)
    if part == "old":
        return old_mpich.make(model, out)
    if part == "two_trees":
        return two_trees.make(model.tutti, cluster, out)
    if part == "all_to_all":
        return all_to_all.make(model.tutti, cluster, out)
    return vendors.make(cluster, VENDOR_GAMMA, out)


def report_failures(cluster):
    for row in cluster.failures():
        why = "below the bound" if row.too_fast else row.outcome
        print(f"  not counted: {row.platform} {row.contender} {row.collective} p = {row.p} "
              f"{runner.size_name(row.n)}: {why}")


def main():
    arguments = read_arguments()
    os.makedirs(arguments.out, exist_ok=True)
    model = models.Model(os.path.abspath(arguments.tutti), MACHINE, arguments.parallel)
    cluster = cluster_runs.Cluster(arguments.build, arguments.parallel)
    numbers = {}
    for part in [arguments.only] if arguments.only else PARTS:
        start = time.time()
        numbers |= make_part(part, model, cluster, arguments.out)
        print(f"{part}: {time.time() - start:.0f} s", flush=True)
    report_failures(cluster)
    if arguments.only:
        for name, value in numbers.items():
            print(f"  {name} = {value}")
        return
    cluster.write_csv(os.path.join(arguments.out, "cluster.csv"))
    plot.write_csv(os.path.join(arguments.out, "numbers.csv"), ["name", "value"],
                   sorted(numbers.items()))
    if arguments.page:
        unknown = page.fill(arguments.page, numbers)
        if unknown:
            sys.exit(f"{arguments.page}: no such numbers: {', '.join(unknown)}")


if __name__ == "__main__":
    runner.run_main(main)
