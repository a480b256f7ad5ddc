#!/usr/bin/env python3
"""Sums on a simulated cluster take the time that --gamma gives them, Tutti's as well as the peers'.

    price_test.py BUILD
"""
import dataclasses
import os
import sys
import tempfile

import platforms
import runner
import sweep

P, BYTES, GAMMA = 4, 1 << 20, 1e-9


def seconds(build, name, environment, gamma):
    who = sweep.contender(name, build)
    who = dataclasses.replace(who, environment=(*who.environment, *environment))
    job = runner.Job("eth10g", P, who, "allreduce", (BYTES,),
                     sweep.bench_options(check=False, gamma=gamma))
    with tempfile.TemporaryDirectory(prefix="platforms.") as directory:
        platforms.write_all(directory)
        [row] = runner.Runner(directory).run_job(job)
    return row.t_us * 1e-6


def main(build):
    wanted = (P - 1) / P * BYTES * GAMMA  # of a ring: a rank combines every block but one
    for name, environment in [("tutti", (("TUTTI_FORCE", "allreduce=ring"),)), ("mpich", ())]:
        took = seconds(build, name, environment, GAMMA) - seconds(build, name, environment, 0)
        print(f"{name}: {took * 1e6:.1f} us for sums, of {wanted * 1e6:.1f} at least")
        if took < 0.999 * wanted:
            sys.exit(f"price_test: {name} was not charged for its sums")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
