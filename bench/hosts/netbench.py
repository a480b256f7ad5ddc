#!/usr/bin/env python3
"""Tutti, tuned, against both native libraries, on hosts with a network of a given rate. Needs root.

    netbench.py                      five networks, both libraries: about an hour
    netbench.py --networks 4x200 --budget 30s --bytes 8,64K --libraries mpich --out /tmp/hosts.csv

For each library and network (hosts x Mbit/s): `tutti machine` measures it, `tutti tune` makes a
profile within its budget, and hosts_bench takes the time of every collective, as Tutti serves it and
as the library does, in turns. Writes a row per case to --out; beside it the profiles, a heat map per
library; and the tables to docs/results.md, if --out lies there.
"""
import argparse
import csv
import datetime
import io
import json
import math
import pathlib
import platform
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "cluster"))
import heatmap  # noqa: E402
import page  # noqa: E402
from files import write_atomically  # noqa: E402
from hosts import Hosts  # noqa: E402

COLLECTIVES = ["bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
               "reduce_scatter_block", "reduce_scatter", "scan", "exscan"]
NETWORKS = "7x200,8x200,9x200,13x200,16x100"
SIZES = "8,64,512,4K,32K,128K,512K,4M"
LARGE = 65536
COLUMNS = ["library", "mbit", "collective", "p", "asked", "bytes", "calls", "tutti_us", "native_us",
           "bound_us", "winner"]
# What is to be reached: from 64 KiB up the geometric mean over the native library, and multiples of
# the lower bound.
MEANS = {"mpich": 1.7, "openmpi": 2.2}
BOUNDS = {"bcast": 1.35, "reduce": 1.35, "allreduce": 1.35, "allgather": 1.35,
          "reduce_scatter": 1.35, "alltoall": 1.35, "scan": 2.4}


def say(text):
    print(f"{datetime.datetime.now():%H:%M:%S}  {text}", file=sys.stderr, flush=True)


def rows_of(library, mbit, printed, profile):
    """hosts_bench's rows, with what the profile chose."""
    points = {(run["ranks"], name, point["bytes"]): point["winner"]
              for run in profile["runs"] for name, of_it in run["collectives"].items()
              for point in of_it}
    return [{"library": library, "mbit": mbit, **row,
             "winner": points.get((int(row["p"]), row["collective"], float(row["bytes"])), "")}
            for row in csv.DictReader(io.StringIO(printed))]


def measured(arguments, library, count, mbit, profile):
    build = ROOT / "build" / library
    with Hosts(count, mbit, arguments.delay_us, build) as hosts:
        machine = hosts.directory / "machine.json"
        say(f"{library}, {count} hosts at {mbit} Mbit/s: the machine")
        hosts.run(library, [hosts.bin / "tutti", "machine", "-o", machine], timeout=300)
        say(f"tuning, {arguments.budget}")
        begin = time.monotonic()
        hosts.run(library, [hosts.bin / "tutti", "tune", "-o", profile, "--machine", machine,
                            "--bytes", arguments.bytes, "--budget", arguments.budget,
                            "--collectives", ",".join(arguments.collectives)])
        say(f"tuned in {time.monotonic() - begin:.0f} s; measuring")
        printed = hosts.run(library, [hosts.bin / "hosts_bench", ",".join(arguments.collectives),
                                      arguments.bytes, arguments.seconds],
                            {"TUTTI_PROFILE": profile, "TUTTI_MACHINE": machine})
        return rows_of(library, mbit, printed, json.loads(profile.read_text()))


def speed_up(row):
    return float(row["native_us"]) / float(row["tutti_us"])


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def size_name(size):
    for unit, name in ((2**20, "M"), (2**10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)


def to_bound(row):
    return float(row["tutti_us"]) / float(row["bound_us"])


def size_of(row):
    return int(row["asked"])


def is_large(row):
    return size_of(row) >= LARGE


def where(row):
    return f"{row['collective']} of {size_name(size_of(row))}, p = {row['p']}"


def verdict(is_met):
    return "pass" if is_met else "fail"


def least(rows, text, most_slower):
    slower = [row for row in rows if speed_up(row) < 1 - most_slower]
    worst = min(rows, key=speed_up)
    return [text, f"{speed_up(worst):.2f}", f"{where(worst)}; {len(slower)} of {len(rows)} are slower",
            verdict(not slower)]


def goals(rows, library):
    large, small = [row for row in rows if is_large(row)], [row for row in rows if not is_large(row)]
    lines = [["goal", "reached", "at", ""], ["---", "---:", "---", "---"]]
    for some, text, wanted in ((large, "from 64 KiB up", MEANS[library]), (small, "below", 1.0)):
        if some:
            lines.append([f"{text}: geometric mean over native at least {wanted}",
                          f"{mean(map(speed_up, some)):.2f}", f"{len(some)} cases",
                          verdict(mean(map(speed_up, some)) >= wanted)])
    for text, most, some in (("1 KiB and up", 0.05, [r for r in rows if size_of(r) >= 1024]),
                             ("below 1 KiB", 0.15, [r for r in rows if size_of(r) < 1024])):
        if some:
            lines.append(least(some, f"{text}: none over {most * 100:.0f}% slower than native", most))
    for collective, most in BOUNDS.items():
        some = [row for row in large if row["collective"] == collective]
        if some:
            worst = max(some, key=to_bound)
            lines.append([f"{collective}, from 64 KiB up: within {most} of the bound",
                          f"{to_bound(worst):.2f}", where(worst), verdict(to_bound(worst) <= most)])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def draw(rows, library, path):
    cells = {(f"{row['collective']} {row['p']}", size_name(size_of(row))): speed_up(row)
             for row in rows}
    heatmap.draw(path, f"time of native {library}, over tuned Tutti’s", cells,
                 "collective, p", "n (bytes)")


def version(library):
    words = {"mpich": ["mpichversion"], "openmpi": ["ompi_info", "--version"]}[library]
    return subprocess.run(words, capture_output=True, text=True).stdout.splitlines()[0]


def report(rows, arguments, directory):
    text = (f"Hosts x Mbit/s: {arguments.networks}; delay {arguments.delay_us} us, "
            f"{datetime.date.today()}, {platform.machine()}, Linux {platform.release()}. "
            f"`{pathlib.Path(arguments.out).name}` has the times.\n\n")
    for library in arguments.libraries:
        own = [row for row in rows if row["library"] == library]
        draw(own, library, directory / f"hosts-{library}.svg")
        text += (f"### {' '.join(version(library).split())}\n\n{goals(own, library)}\n"
                 f"![heat map](results/hosts-{library}.svg)\n\n")
    return text


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", default=NETWORKS, help="hosts x Mbit/s, with commas between")
    parser.add_argument("--delay-us", type=int, default=50)
    parser.add_argument("--libraries", default="mpich,openmpi")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--bytes", default=SIZES, help="n, bytes of the whole message")
    parser.add_argument("--budget", default="3m", help="for tuning each")
    parser.add_argument("--seconds", default="1.5", help="about how long a case may take")
    parser.add_argument("--out", default=str(ROOT / "docs" / "results" / "hosts.csv"))
    arguments = parser.parse_args()
    arguments.libraries = arguments.libraries.split(",")
    arguments.collectives = arguments.collectives.split(",")
    return arguments


def main():
    arguments = read_arguments()
    directory = pathlib.Path(arguments.out).resolve().parent
    directory.mkdir(parents=True, exist_ok=True)
    rows = []
    for library in arguments.libraries:
        profile = directory / f"hosts-{library}.json"
        profile.unlink(missing_ok=True)
        for network in arguments.networks.split(","):
            count, mbit = map(int, network.split("x"))
            rows += measured(arguments, library, count, mbit, profile)
            out = io.StringIO()
            writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            write_atomically(arguments.out, out.getvalue())
    text = report(rows, arguments, directory)
    print(text)
    if directory == ROOT / "docs" / "results":
        page.put("hosts", text)


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"netbench: {error}")
