#!/usr/bin/env python3
"""Five MPI libraries against each other, and Tutti, tuned and untuned, on each. Needs root.

    librarybench.py                  8 hosts, then two ranks of a node, all collectives: two hours
    librarybench.py --libraries intel,mpich5 --bytes 8,64K --budget 30s --out /tmp/libraries.csv
    librarybench.py --untuned --places node

Debian's two, and what scripts/install-mpi has. Measures as netbench.py and shmbench.py do, all
libraries in turns, on an idle machine only. Writes a row per case to --out; beside it the profiles
and heat maps; and tables and goals to docs/results.md, if --out lies there.
"""
import sys

import netbench
import shmbench
import turns
from libraries import LIBRARIES

SIZES = "8,64,512,4K,32K,128K,512K,4M"
NAMES = {"mpich": "MPICH 4.0", "openmpi": "Open MPI 4.1", "mpich5": "MPICH 5.0",
         "openmpi5": "Open MPI 5.0", "intel": "Intel MPI"}
PLACES = {"hosts": netbench.place("8x200", netbench.DELAY_US),
          "node": ("2", "2 processors", lambda build: shmbench.Processors(2))}
# Of each: starts of the program, seconds of a case, and for tuning each library.
STARTS, SECONDS, BUDGET = ({"hosts": 1, "node": 7}, {"hosts": "0.3", "node": "0.1"},
                           {"hosts": "3m", "node": "1m"})


def native_times(rows):
    """By library, by case."""
    times = {}
    for row in rows:
        times.setdefault(row["library"], {})[turns.case_of(row)] = float(row["untuned_native_us"])
    return times


def ratio(ones, others):
    """The geometric mean of one library's times over another's."""
    return turns.geometric_mean(ones[case] / others[case] for case in ones if case in others)


def natives(rows):
    """A table: how many times as long each library takes as each other, without Tutti."""
    times = native_times(rows)
    head = [["time of", *(f"over {NAMES[other]}" for other in times)],
            ["---", *["---:"] * len(times)]]
    return turns.page.lines(head + [
        [NAMES[one], *("" if one == other else f"{ratio(times[one], times[other]):.2f}"
                       for other in times)] for one in times])


def speed_ups(rows):
    """Geometric mean over native; slowest from 1 KiB up, and where that is."""
    mean, *_ = netbench.speed_ups(rows)
    _, *slowest = netbench.speed_ups(from_1k(rows))
    return [mean, *slowest]


def from_1k(rows):
    return [row for row in rows if turns.size_of(row) >= 1024]


def from_64k(rows):
    return [row for row in rows if turns.size_of(row) >= netbench.LARGE]


def to_bound(rows):
    """The geometric mean of multiples of the bound from 64 KiB up: the library's own, and Tutti's."""
    some = from_64k(turns.of_tuned(rows))
    return [f"{turns.geometric_mean(turns.to_bound(row, column) for row in some):.2f}" if some else ""
            for column in ("native_us", "tutti_us")]


def over_native(rows, has_bound):
    """A line of a table for each library."""
    kinds = ["mean", "slowest from 1 KiB", "at"]
    lines = [["library", *(f"{each}, {kind}" for each in ("untuned", "tuned") for kind in kinds)],
             ["---", *["---:", "---:", "---"] * 2]]
    if has_bound:
        lines = [[*lines[0], "its own over the bound", "tuned over the bound"],
                 [*lines[1], "---:", "---:"]]
    for library in dict.fromkeys(row["library"] for row in rows):
        own = [row for row in rows if row["library"] == library]
        lines.append([NAMES[library], *speed_ups(turns.of_untuned(own)),
                      *speed_ups(turns.of_tuned(own)), *(to_bound(own) if has_bound else [])])
    return turns.page.lines(lines)


def goals(rows, on_hosts):
    """Of one library."""
    name, tuned, lines = NAMES[rows[0]["library"]], turns.of_tuned(rows), []
    if on_hosts and from_64k(tuned):
        lines.append(turns.goal_of_means(f"{name}, tuned, from 64 KiB up", from_64k(tuned),
                                         netbench.OTHERS_MEAN))
    if from_1k(tuned):
        lines.append(turns.goal_of_slowest(f"{name}, tuned, 1 KiB and up", from_1k(tuned), 0.05))
    return lines


def text_of(rows, place):
    """Tables and goals of one place."""
    _, title, _ = PLACES[place]
    rows = [row for row in rows if row["place"] == title]
    if not rows:
        return ""
    libraries = dict.fromkeys(row["library"] for row in rows)
    lines = [line for library in libraries
             for line in goals([row for row in rows if row["library"] == library], place == "hosts")]
    return (f"### {title}\n\nWithout Tutti, geometric means over all cases:\n\n{natives(rows)}\n"
            f"Tutti over each library's own choice:\n\n{over_native(rows, place == 'hosts')}\n"
            f"{turns.page.table(lines)}\n")


def pictures(rows, directory):
    """Draws a heat map of tuned Tutti per place and library; returns what shows them."""
    text = ""
    for place, (_, title, _) in PLACES.items():
        for library in LIBRARIES:
            own = turns.of_tuned([row for row in rows
                                  if (row["library"], row["place"]) == (library, title)])
            if own:
                text += turns.picture(directory, f"libraries-{place}-{library}",
                                      f"{title}: time of {NAMES[library]}, over tuned Tutti’s", own)
    return text


def main():
    parser = turns.parser_for(__doc__)
    parser.add_argument("--places", default=",".join(PLACES), help=f"of {', '.join(PLACES)}")
    turns.add_tuning(parser, "")
    arguments = turns.read_arguments(parser, "libraries", SIZES, "", turns.ALL_COLLECTIVES,
                                     ",".join(LIBRARIES))
    budget, seconds = arguments.budget, arguments.seconds
    for place in arguments.places.split(","):
        if place not in PLACES:
            parser.error(f"{place} is no place; places are {', '.join(PLACES)}")
        arguments.budget, arguments.seconds = budget or BUDGET[place], seconds or SECONDS[place]
        rows = turns.run("libraries", arguments, [PLACES[place]], STARTS[place])
    versions = (LIBRARIES[name].version() for name in dict.fromkeys(row["library"] for row in rows))
    turns.publish("libraries", rows, arguments, ", ".join(versions),
                  text_of(rows, "hosts") + text_of(rows, "node")
                  + pictures(rows, turns.directory_of(arguments)))


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"librarybench: {error}")
