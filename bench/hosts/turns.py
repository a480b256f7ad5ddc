"""Tutti and native libraries in turns: what the rigs with real MPI have in common.

Tutti is measured twice, tuned and as whoever starts it first has it, each time against the native
library in the same run.

A place has `directory` (for what is not kept) and run(library, words, environment, timeout), which
starts a rank of a program on each of its hosts or processors and returns what they print.
"""
import argparse
import csv
import datetime
import io
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "docs" / "results"
sys.path.insert(0, str(ROOT / "bench" / "cluster"))
import heatmap  # noqa: E402
import page  # noqa: E402
from files import write_atomically  # noqa: E402
from libraries import LIBRARIES  # noqa: E402
from runner import size_name  # noqa: E402
from summarise import geometric_mean  # noqa: E402

COLLECTIVES = ["bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
               "reduce_scatter_block", "reduce_scatter", "scan", "exscan"]
NOT_TUNED = ["gatherv", "scatterv", "alltoallv"]   # only some ranks know their sizes
ALL_COLLECTIVES = ["barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather",
                   "allgatherv", "alltoall", "alltoallv", "reduce", "allreduce",
                   "reduce_scatter_block", "reduce_scatter", "scan", "exscan"]
COLUMNS = ["library", "place", "collective", "p", "asked", "bytes", "calls", "tutti_us", "native_us",
           "bound_us", "model_us", "processor_us", "barrier_us", "winner", "budget", "tuned_s",
           "date", "untuned_us", "untuned_native_us", "untuned_date"]
KEY = ["library", "place", "collective", "asked"]
# A machine that others share has slow minutes, in which a barrier takes 1.5 to 2.5 times as long.
SLOW = 1.4


def say(text):
    print(f"{datetime.datetime.now():%H:%M:%S}  {text}", file=sys.stderr, flush=True)


def winners(profile):
    """(collective, bytes) -> what the profile, which is of one run, chose."""
    [run] = profile["runs"]
    return {(collective, point["bytes"]): point["winner"]
            for collective, of_it in run["collectives"].items() for point in of_it}


def typical(tables):
    """Of each case the row whose ratio is the median of all tables'."""
    return [sorted(rows, key=speed_up)[len(rows) // 2] for rows in zip(*tables, strict=True)]


def case_of(row):
    return row["collective"], row["asked"]


def in_quick_minutes(rows, measure):
    """The rows, those of slow minutes measured again, twice at most."""
    def barrier(row):
        return float(row["barrier_us"])
    for _ in range(2):
        usual = statistics.median(map(barrier, rows))
        slow = {}
        for row in rows:
            if barrier(row) > SLOW * usual:
                slow.setdefault(row["collective"], []).append(row["asked"])
        if not slow:
            break
        count = sum(map(len, slow.values()))
        say(f"{count} of {len(rows)} cases were measured in slow minutes: again")
        again = {case_of(row): row for collective, sizes in slow.items()
                 for row in measure(collective, ",".join(sizes))}
        rows = [min(row, again.get(case_of(row), row), key=barrier) for row in rows]
    return rows


def timed(place, arguments, library, environment):
    """A row for each case, of one start."""
    def measure(collectives, sizes):
        printed = place.run(library, [library.program("hosts_bench"), collectives, sizes,
                                      arguments.seconds],
                            {"TUTTI_NATIVE_FIRST": 0, **environment})
        return list(csv.DictReader(io.StringIO(printed)))
    return in_quick_minutes(measure(",".join(arguments.collectives), arguments.bytes), measure)


def tune(place, arguments, library, profile):
    """Measures the machine and makes a profile; returns the environment of a tuned run, and what a
    row says of the tuning."""
    profile.unlink(missing_ok=True)
    machine = pathlib.Path(place.directory) / f"machine-{library.name}.json"
    tutti = library.program("tutti")
    say(f"{library.name}: the machine")
    place.run(library, [tutti, "machine", "-o", machine], timeout=300)
    say(f"{library.name}: tuning, {arguments.budget}")
    begin = time.monotonic()
    place.run(library, [tutti, "tune", "-o", profile, "--machine", machine, "--bytes",
                        arguments.bytes, "--budget", arguments.budget, "--collectives",
                        ",".join(each for each in arguments.collectives
                                 if each not in NOT_TUNED)])
    took = f"{time.monotonic() - begin:.0f}"
    return ({"TUTTI_PROFILE": profile, "TUTTI_MACHINE": machine},
            {"budget": arguments.budget, "tuned_s": took})


def in_turns(place, arguments, cases, starts):
    """For each case, a library and its environment, its rows: a program is started so many times, as
    where its memory and its ranks come to lie may change a time twofold. Cases take turns."""
    tables = [[] for _ in cases]
    for start in range(starts):
        for table, (library, environment) in zip(tables, cases):
            say(f"{library.name}: {'tuned' if environment else 'untuned'}, "
                f"start {start + 1} of {starts}")
            table.append(timed(place, arguments, library, environment))
    return [typical(table) for table in tables]


def untuned_row(library, place, row):
    return {"library": library.name, "place": place, "collective": row["collective"],
            "p": row["p"], "asked": row["asked"], "bytes": row["bytes"],
            "untuned_us": row["tutti_us"], "untuned_native_us": row["native_us"],
            "untuned_date": datetime.date.today()}


def tuned_rows(library, place, table, profile, tuning):
    chosen = winners(json.loads(profile.read_text()))
    return [{"library": library.name, "place": place, **row, **tuning,
             "winner": chosen.get((row["collective"], float(row["bytes"])), ""),
             "date": datetime.date.today()}
            for row in table]


def speed_up(row):
    return float(row["native_us"]) / float(row["tutti_us"])


def of_untuned(rows):
    """Those that were measured untuned, with these times as their own."""
    return [{**row, "tutti_us": row["untuned_us"], "native_us": row["untuned_native_us"]}
            for row in rows if row.get("untuned_us")]


def of_tuned(rows):
    return [row for row in rows if row.get("tutti_us")]


def to_bound(row, column="tutti_us"):
    return float(row[column]) / float(row["bound_us"])


def size_of(row):
    return int(row["asked"])


def where(row):
    return f"{row['collective']} of {size_name(size_of(row))}, p = {row['p']}"


def goal(text, figure, at, is_met):
    return [text, f"{figure:.2f}", at, "pass" if is_met else "fail"]


def mean_speed_up(rows):
    return geometric_mean(map(speed_up, rows))


def goal_of_means(text, rows, wanted):
    reached = mean_speed_up(rows)
    return goal(f"{text}: geometric mean over native at least {wanted}", reached,
                f"{len(rows)} cases", reached >= wanted)


def goal_of_slowest(text, rows, most):
    worst = min(rows, key=speed_up)
    slower = sum(speed_up(row) < 1 - most for row in rows)
    return goal(f"{text}: none over {most * 100:.0f}% slower than native", speed_up(worst),
                f"{where(worst)}; {slower} of {len(rows)} are slower", slower == 0)


def goal_of_bound(collective, rows, most):
    worst = max(rows, key=to_bound)
    over = [row for row in rows if to_bound(row) > most]
    text = f"{where(worst)}; {len(over)} of {len(rows)} are over"
    for column, why in (("model_us", "by the model too"),
                        ("processor_us", "for the processor's time alone")):
        known = [row for row in over if row.get(column)]
        if known:
            so = sum(to_bound(row, column) > most for row in known)
            text += f", {so} of {len(known)} {why}"
    return goal(f"{collective}, from 64 KiB up: within {most} of the bound", to_bound(worst),
                text, not over)


def picture(directory, name, title, rows):
    """Draws a heat map, and returns what shows it."""
    cells = {(f"{row['collective']} {row['p']}", size_name(size_of(row))): speed_up(row)
             for row in rows}
    heatmap.draw(directory / f"{name}.svg", title, cells, "collective, p", "n (bytes)")
    return f"![{name}](results/{name}.svg)\n"


def directory_of(arguments):
    """Where --out lies."""
    return pathlib.Path(arguments.out).resolve().parent


def report(name, rows, arguments, about, text_of):
    """Publishes what text_of(rows, library) says, and draws heat maps per library."""
    text = ""
    for library in dict.fromkeys(row["library"] for row in rows):
        own = [row for row in rows if row["library"] == library]
        text += f"### {LIBRARIES[library].version()}\n\n{text_of(own, library)}\n"
        for kind, some in (("tuned", of_tuned(own)), ("untuned", of_untuned(own))):
            if some:
                of_it = library if kind == "tuned" else f"{kind}-{library}"
                text += picture(directory_of(arguments), f"{name}-{of_it}",
                                f"time of native {library}, over {kind} Tutti’s", some)
        text += "\n"
    publish(name, rows, arguments, about, text)


def publish(name, rows, arguments, about, text):
    """Prints the text, and puts it into docs/results.md if the CSV file lies beside it."""
    dates = ", ".join(sorted({str(row[key]) for row in rows for key in ("date", "untuned_date")
                              if row.get(key)}))
    head = (f"{about}, {dates}, {platform.machine()}, Linux {platform.release()}. "
            f"`{pathlib.Path(arguments.out).name}` has the times.")
    text = f"{textwrap.fill(head, 100)}\n\n{text}"
    print(text)
    if directory_of(arguments) == RESULTS:
        page.put(name, text)


def add_tuning(parser, budget):
    add = parser.add_argument
    add("--budget", default=budget, help="for tuning each")
    add("--untuned", action="store_true",
        help="measure only that, in some minutes: all else that --out has stays")


def read_arguments(parser, name, sizes, seconds, collectives=COLLECTIVES,
                   libraries="mpich,openmpi"):
    add = parser.add_argument
    add("--libraries", default=libraries, help=f"of {', '.join(LIBRARIES)}")
    add("--collectives", default=",".join(collectives))
    add("--bytes", default=sizes, help="n, bytes of the whole message")
    add("--seconds", default=seconds, help="about how long a case may take")
    add("--out", default=str(RESULTS / f"{name}.csv"))
    arguments = parser.parse_args()
    for library in arguments.libraries.split(","):
        if library not in LIBRARIES:
            parser.error(f"{library} is not known; known are {', '.join(LIBRARIES)}")
        if not LIBRARIES[library].is_here():
            parser.error(f"{library} is not here: scripts/install-mpi {library}")
    arguments.libraries = [LIBRARIES[library] for library in arguments.libraries.split(",")]
    arguments.collectives = arguments.collectives.split(",")
    return arguments


def parser_for(text):
    return argparse.ArgumentParser(description=text,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def read_rows(path):
    if not path.exists():
        return []
    with path.open(newline="") as source:
        return list(csv.DictReader(source))


def merged(rows, fresh):
    """With fresh columns in rows that are there already, and rows that are not yet."""
    by_key = {tuple(str(row[key]) for key in KEY): row for row in rows}
    for row in fresh:
        by_key.setdefault(tuple(str(row[key]) for key in KEY), {}).update(row)
    return list(by_key.values())


def write_rows(path, rows, columns):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue())


def run(name, arguments, places, starts=1):
    """All rows of --out, written as they come: those of a place that is not measured now are kept.
    `places` are short names, names, and functions that make a place, a context, with the programs of
    a build."""
    out = pathlib.Path(arguments.out).resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = read_rows(out)
    for short, place_name, make in places:
        say(f"{place_name}, {len(arguments.libraries)} libraries")
        with make(arguments.libraries[0].build) as place:
            tuned, cases = [], [(library, {}) for library in arguments.libraries]
            for library in [] if arguments.untuned else arguments.libraries:
                profile = out.parent / f"{name}-{library.name}-{short}.json"
                environment, tuning = tune(place, arguments, library, profile)
                tuned.append((profile, tuning))
                cases.append((library, environment))
            tables = in_turns(place, arguments, cases, starts)
        count = len(arguments.libraries)
        for library, table, (profile, tuning) in zip(arguments.libraries, tables[count:], tuned):
            rows = [row for row in rows
                    if (row["library"], row["place"]) != (library.name, place_name)]
            rows += tuned_rows(library, place_name, table, profile, tuning)
        for library, table in zip(arguments.libraries, tables):
            rows = merged(rows, [untuned_row(library, place_name, row) for row in table])
        write_rows(out, rows, COLUMNS)
    return rows
