#!/usr/bin/env python3
"""Long messages between ranks that were dealt to nodes one by one have right results, and take about
as long as where ranks were placed node by node.

    dealt_test.py BUILD
"""
import os
import sys
import tempfile

import platforms
import runner
import sweep

P, SIZES = 64, (64 << 10, 1 << 20)  # four nodes
COLLECTIVES = ("bcast", "reduce", "allreduce")
MOST = 1.1  # times as long


def rows(run, build, platform, collective):
    who = sweep.contender("tutti", build)
    return run.run_job(runner.Job(platform, P, who, collective, SIZES,
                                  sweep.bench_options(check=True)))


def main(build):
    with tempfile.TemporaryDirectory(prefix="platforms.") as directory:
        platforms.write_all(directory)
        run = runner.Runner(directory)
        for collective in COLLECTIVES:
            pairs = zip(rows(run, build, "hier16", collective),
                        rows(run, build, "hier16-cyclic4", collective), strict=True)
            for in_blocks, dealt in pairs:
                if dealt.outcome != "right" or in_blocks.outcome != "right":
                    sys.exit(f"dealt_test: {collective} of {dealt.n} bytes: {dealt.outcome}")
                print(f"{collective} of {dealt.n} bytes: {dealt.t_us:.1f} us, node by node "
                      f"{in_blocks.t_us:.1f}")
                if dealt.t_us > MOST * in_blocks.t_us:
                    sys.exit(f"dealt_test: over {MOST} times as long")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
