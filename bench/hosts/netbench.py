#!/usr/bin/env python3
"""Tutti, tuned, against both native libraries, on hosts with a network of a given rate. Needs root.

    netbench.py                      8 hosts at 200 Mbit/s, both libraries: about 15 minutes
    netbench.py --hosts 4 --budget 30s --bytes 8,64K --libraries mpich

For each library: `tutti machine` measures the network, `tutti tune` makes a profile within its
budget, and hosts_bench takes the time of every collective, as Tutti serves it and as the library
does, in turns. Writes a row per case to --out, the profiles beside it, and the tables to
docs/results.md.
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
from files import write_atomically  # noqa: E402
from hosts import Hosts  # noqa: E402

COLLECTIVES = ["bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
               "reduce_scatter_block", "reduce_scatter", "scan", "exscan"]
SIZES = "8,64,512,4K,32K,128K,512K,2M"
PAGE = ROOT / "docs" / "results.md"
BEGIN, END = "<!-- {}: written by bench/hosts/netbench.py -->\n", "<!-- end -->\n"
COLUMNS = ["library", "collective", "p", "bytes", "calls", "tutti_us", "native_us", "bound_us",
           "winner"]


def say(text):
    print(f"{datetime.datetime.now():%H:%M:%S}  {text}", file=sys.stderr, flush=True)


def rows_of(library, printed, profile):
    """hosts_bench's rows, with what the profile chose."""
    points = {(name, point["bytes"]): point["winner"]
              for name, of_it in profile["runs"][0]["collectives"].items() for point in of_it}
    return [{"library": library, **row,
             "winner": points.get((row["collective"], float(row["bytes"])), "")}
            for row in csv.DictReader(io.StringIO(printed))]


def measured(arguments, library):
    build = ROOT / "build" / library
    place = pathlib.Path(arguments.out).resolve().parent
    profile = place / f"hosts-{library}.json"
    with Hosts(arguments.hosts, arguments.mbit, arguments.delay_us, build) as hosts:
        machine = hosts.directory / "machine.json"
        say(f"{library}: the machine")
        hosts.run(library, [hosts.bin / "tutti", "machine", "-o", machine], timeout=300)
        say(f"{library}: tuning, {arguments.budget}")
        profile.unlink(missing_ok=True)
        begin = time.monotonic()
        hosts.run(library, [hosts.bin / "tutti", "tune", "-o", profile, "--machine", machine,
                            "--bytes", arguments.bytes, "--budget", arguments.budget,
                            "--collectives", ",".join(arguments.collectives)])
        say(f"{library}: tuned in {time.monotonic() - begin:.0f} s; measuring")
        printed = hosts.run(library, [hosts.bin / "hosts_bench", ",".join(arguments.collectives),
                                      arguments.bytes, arguments.seconds],
                            {"TUTTI_PROFILE": profile, "TUTTI_MACHINE": machine})
        return rows_of(library, printed, json.loads(profile.read_text()))


def speed_up(row):
    return float(row["native_us"]) / float(row["tutti_us"])


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def size_name(size):
    for unit, name in ((2**20, "M"), (2**10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)


def table(rows, asked, cell):
    """A line per collective, a column per size; blocks may have made a size a little larger."""
    lines = [["collective", *map(size_name, asked)], ["---"] + ["---:"] * len(asked)]
    for name in dict.fromkeys(row["collective"] for row in rows):
        lines.append([name, *map(cell, (row for row in rows if row["collective"] == name))])
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def summary(rows, library):
    ratios = [speed_up(row) for row in rows]
    worst = min(rows, key=speed_up)
    slower = sum(ratio < 0.95 for ratio in ratios)
    return (f"Tuned Tutti against native {library}: {mean(ratios):.2f} times as fast in geometric "
            f"mean over {len(rows)} cases; from 64 KiB up "
            f"{mean([speed_up(row) for row in rows if int(row['bytes']) >= 65536]):.2f}. Cases more "
            f"than 5% slower: {slower}; the worst is {worst['collective']} of {worst['bytes']} "
            f"bytes, {speed_up(worst):.2f}.\n")


def numbers(text):
    units = {"K": 2**10, "M": 2**20}
    return [int(part.rstrip("KM")) * units.get(part[-1], 1) for part in text.split(",")]


def version(library):
    words = {"mpich": ["mpichversion"], "openmpi": ["ompi_info", "--version"]}[library]
    return subprocess.run(words, capture_output=True, text=True).stdout.splitlines()[0]


def page(rows, arguments):
    asked = numbers(arguments.bytes)
    text = (f"{arguments.hosts} hosts at {arguments.mbit} Mbit/s, delay {arguments.delay_us} us, "
            f"{datetime.date.today()}, {platform.machine()}, Linux {platform.release()}. "
            f"`{pathlib.Path(arguments.out).name}` has the times.\n\n")
    for library in arguments.libraries:
        own = [row for row in rows if row["library"] == library]
        text += f"### {version(library)}\n\n{summary(own, library)}\n"
        text += "Time of the native library, divided by Tutti's:\n\n"
        text += table(own, asked, lambda row: f"{speed_up(row):.2f}") + "\n"
        text += "Tutti's time, divided by the lower bound for the measured network:\n\n"
        text += table(own, asked, lambda row: f"{float(row['tutti_us']) / float(row['bound_us']):.2f}"
                      if float(row["bound_us"]) > 0 else "-") + "\n"
    return text


def put_into_page(name, text):
    whole = PAGE.read_text(encoding="utf-8")
    begin = BEGIN.format(name)
    head, _, rest = whole.partition(begin)
    _, _, tail = rest.partition(END)
    write_atomically(PAGE, head + begin + "\n" + text + END + tail)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--mbit", type=int, default=200, help="rate of each host's port")
    parser.add_argument("--delay-us", type=int, default=50)
    parser.add_argument("--libraries", default="mpich,openmpi")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--bytes", default=SIZES, help="n, bytes of the whole message")
    parser.add_argument("--budget", default="5m", help="for tuning, per library")
    parser.add_argument("--seconds", default="1.5", help="about how long a case may take")
    parser.add_argument("--out", default=str(ROOT / "docs" / "results" / "hosts.csv"))
    arguments = parser.parse_args()
    arguments.libraries = arguments.libraries.split(",")
    arguments.collectives = arguments.collectives.split(",")
    return arguments


def main():
    arguments = read_arguments()
    pathlib.Path(arguments.out).resolve().parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for library in arguments.libraries:
        rows += measured(arguments, library)
        print(summary([row for row in rows if row["library"] == library], library))
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(arguments.out, out.getvalue())
    put_into_page("hosts", page(rows, arguments))


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"netbench: {error}")
