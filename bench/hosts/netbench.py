#!/usr/bin/env python3
"""Tutti, tuned and untuned, against native libraries, on hosts with a network of a given rate. Needs root.

    netbench.py                      five networks, Debian's two libraries: three hours
    netbench.py --networks 4x200 --budget 30s --bytes 8,64K --libraries mpich --out /tmp/hosts.csv
    netbench.py --untuned --networks 8x200,13x200 --seconds 0.3     some minutes

For each library and network (hosts x Mbit/s): `tutti machine` measures it, `tutti tune` makes a
profile within its budget, and hosts_bench takes the time of every collective, as Tutti serves it and
as the library does, in turns; then the same without machine file and profile. Writes a row per case
to --out, where rows of networks that are not measured now are kept; beside it the profiles and heat
maps per library; and the goals to docs/results.md, if --out lies there.
"""
import sys

import turns
from hosts import Hosts

DELAY_US = 50
NETWORKS = "7x200,8x200,9x200,13x200,16x100"
SIZES = "8,64,512,4K,32K,128K,512K,4M"
LARGE = 65536
# What is to be reached: from 64 KiB up the geometric mean over the native library, and multiples of
# the lower bound.
MEANS = {"mpich": 1.7, "openmpi": 2.2}
OTHERS_MEAN = 1.3
BOUNDS = {"bcast": 1.35, "reduce": 1.35, "allreduce": 1.35, "allgather": 1.35,
          "reduce_scatter": 1.35, "alltoall": 1.35, "scan": 2.4}


def untuned_goals(rows):
    some = [row for row in turns.of_untuned(rows) if turns.size_of(row) >= 1024]
    return [turns.goal_of_slowest("untuned, 1 KiB and up", some, 0.1),
            turns.goal_of_means("untuned, 1 KiB and up", some, 1.5)] if some else []


def goals(rows, library):
    tuned = turns.of_tuned(rows)

    def sized(first, end):
        return [row for row in tuned if first <= turns.size_of(row) < end]
    large, small = sized(LARGE, 2**62), sized(0, LARGE)
    lines = []
    if large:
        lines.append(turns.goal_of_means("from 64 KiB up", large, MEANS.get(library, OTHERS_MEAN)))
    if small:
        lines.append(turns.goal_of_means("below 64 KiB", small, 1.0))
    for text, most, some in (("1 KiB and up", 0.05, sized(1024, 2**62)),
                             ("below 1 KiB", 0.15, sized(0, 1024))):
        if some:
            lines.append(turns.goal_of_slowest(text, some, most))
    return lines + bounds(large) + untuned_goals(rows)


def bounds(rows):
    lines = []
    for collective, most in BOUNDS.items():
        some = [row for row in rows if row["collective"] == collective]
        if some:
            lines.append(turns.goal_of_bound(collective, some, most))
    return lines


def over(rows):
    """A table of each case that is over its bound's goal, in multiples of the bound."""
    rows = turns.of_tuned(rows)
    lines = [["over its goal", "hosts", "goal", "time", "of the processor", "by the model", "native",
              "algorithm"], ["---", "---", *["---:"] * 5, "---"]]
    for row in rows:
        most = BOUNDS.get(row["collective"])
        if most and turns.size_of(row) >= LARGE and turns.to_bound(row) > most:
            figures = [f"{turns.to_bound(row, column):.2f}" if row.get(column) else ""
                       for column in ("tutti_us", "processor_us", "model_us", "native_us")]
            size = turns.size_name(turns.size_of(row))
            lines.append([f"{row['collective']} of {size}", row["place"], f"{most}", *figures,
                          row["winner"]])
    return f"\n{turns.page.lines(lines)}" if len(lines) > 2 else ""


def speed_ups(rows):
    """Geometric mean, slowest, and where that is."""
    if not rows:
        return ["", "", ""]
    worst = min(rows, key=turns.speed_up)
    return [f"{turns.mean_speed_up(rows):.2f}", f"{turns.speed_up(worst):.2f}", turns.where(worst)]


def networks(rows):
    """A line of a table for each."""
    kinds = ["geometric mean over native", "slowest", "at"]
    lines = [["hosts", "tuned in", "of", *kinds, *(f"untuned, {each}" for each in kinds)],
             ["---", "---:", "---:", *["---:", "---:", "---"] * 2]]
    for place in dict.fromkeys(row["place"] for row in rows):
        own = [row for row in rows if row["place"] == place]
        took, budget = own[0].get("tuned_s"), own[0].get("budget")
        lines.append([place, f"{took} s" if took else "", budget or "",
                      *speed_ups(turns.of_tuned(own)), *speed_ups(turns.of_untuned(own))])
    return turns.page.lines(lines)


def place(network, delay_us):
    """Of "8x200": 8 hosts, 200 Mbit/s."""
    hosts, mbit = network.split("x")
    return (network, f"{hosts} hosts, {mbit} Mbit/s",
            lambda build: Hosts(int(hosts), float(mbit), delay_us, build))


def main():
    parser = turns.parser_for(__doc__)
    parser.add_argument("--networks", default=NETWORKS, help="hosts x Mbit/s, with commas between")
    parser.add_argument("--delay-us", type=int, default=DELAY_US)
    turns.add_tuning(parser, "5m")
    arguments = turns.read_arguments(parser, "hosts", SIZES, "2.5")

    places = [place(each, arguments.delay_us) for each in arguments.networks.split(",")]
    rows = turns.run("hosts", arguments, places)
    turns.report("hosts", rows, arguments, f"Delay {arguments.delay_us} us",
                 lambda own, library: f"{networks(own)}\n{turns.page.table(goals(own, library))}"
                                      f"{over(own)}")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"netbench: {error}")
