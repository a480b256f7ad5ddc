#!/usr/bin/env python3
"""Sums on a simulated cluster take the time that --gamma gives them, Tutti's as well as the peers',
and so they do where cluster_tutti measures them.

    price_test.py BUILD
"""
import dataclasses
import json
import os
import sys
import tempfile

import platforms
import runner
import sweep

P, BYTES, GAMMA = 4, 1 << 20, 1e-9


def seconds(build, directory, name, environment, gamma):
    who = sweep.contender(name, build)
    who = dataclasses.replace(who, environment=(*who.environment, *environment))
    job = runner.Job("eth10g", P, who, "allreduce", (BYTES,),
                     sweep.bench_options(check=False, gamma=gamma))
    [row] = runner.Runner(directory).run_job(job)
    return row.t_us * 1e-6


def benchmarked(build, directory, gamma):
    """Algorithm -> seconds."""
    done = runner.simulated(
        directory, "eth10g", P,
        [os.path.join(build, "bin", "cluster_tutti"), "bench", "allreduce", "--algorithm", "ring",
         "--bytes", str(BYTES), "--repetitions", "6", "--json"],
        environment={"CLUSTER_GAMMA": f"{gamma:g}"})
    if done.returncode != 0:
        sys.exit(f"price_test: {done.stdout}{done.stderr}")
    return {row["algorithm"]: row["seconds"] for row in json.loads(done.stdout)["rows"]}


def check(name, took):
    wanted = (P - 1) / P * BYTES * GAMMA  # of a ring: a rank combines every block but one
    print(f"{name}: {took * 1e6:.1f} us for sums, of {wanted * 1e6:.1f} at least")
    if took < 0.999 * wanted:
        sys.exit(f"price_test: {name} was not charged for its sums")


def main(build):
    with tempfile.TemporaryDirectory(prefix="platforms.") as directory:
        platforms.write_all(directory)
        for name, environment in [("tutti", (("TUTTI_FORCE", "allreduce=ring"),)), ("mpich", ())]:
            free, priced = (seconds(build, directory, name, environment, gamma)
                            for gamma in (0, GAMMA))
            check(name, priced - free)
        free, priced = (benchmarked(build, directory, gamma) for gamma in (0, GAMMA))
        for name in ("ring", "native"):
            check(f"cluster_tutti, {name}", priced[name] - free[name])


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
