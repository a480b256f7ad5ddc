"""Tutti and a native library in turns: what the rigs with real MPI have in common.

Tutti is measured twice, tuned and as whoever starts it first has it, each time against the native
library in the same run.

A place has `directory` (for what is not kept), `bin`, and run(library, words, environment, timeout),
which starts a rank of a program on each of its hosts or processors and returns what they print.
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
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "docs" / "results"
sys.path.insert(0, str(ROOT / "bench" / "cluster"))
import heatmap  # noqa: E402
import page  # noqa: E402
from files import write_atomically  # noqa: E402
from runner import size_name  # noqa: E402
from summarise import geometric_mean  # noqa: E402

COLLECTIVES = ["bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
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


def timed(place, arguments, library, environment, starts):
    """A row for each case, by a program that is started so many times: where its memory and its ranks
    come to lie may change a time twofold."""
    def measure(collectives, sizes):
        printed = place.run(library, [place.bin / "hosts_bench", collectives, sizes,
                                      arguments.seconds],
                            {"TUTTI_NATIVE_FIRST": 0, **environment})
        return list(csv.DictReader(io.StringIO(printed)))
    collectives = ",".join(arguments.collectives)
    return typical([in_quick_minutes(measure(collectives, arguments.bytes), measure)
                    for _ in range(starts)])


def untuned(place, name, arguments, library, starts):
    """Rows: neither a machine file nor a profile."""
    say(f"{library}, {name}: untuned")
    return [{"library": library, "place": name, "collective": row["collective"], "p": row["p"],
             "asked": row["asked"], "bytes": row["bytes"], "untuned_us": row["tutti_us"],
             "untuned_native_us": row["native_us"], "untuned_date": datetime.date.today()}
            for row in timed(place, arguments, library, {}, starts)]


def tuned(place, name, arguments, library, profile, starts):
    """Rows: the machine is measured, a profile made, then every collective timed."""
    profile.unlink(missing_ok=True)
    machine = pathlib.Path(place.directory) / "machine.json"
    collectives = ",".join(arguments.collectives)
    say(f"{library}, {name}: the machine")
    place.run(library, [place.bin / "tutti", "machine", "-o", machine], timeout=300)
    say(f"tuning, {arguments.budget}")
    begin = time.monotonic()
    place.run(library, [place.bin / "tutti", "tune", "-o", profile, "--machine", machine, "--bytes",
                        arguments.bytes, "--budget", arguments.budget, "--collectives", collectives])
    took = f"{time.monotonic() - begin:.0f}"
    say(f"tuned in {took} s; measuring")

    rows = timed(place, arguments, library, {"TUTTI_PROFILE": profile, "TUTTI_MACHINE": machine},
                 starts)
    chosen = winners(json.loads(profile.read_text()))
    return [{"library": library, "place": name, **row, "budget": arguments.budget, "tuned_s": took,
             "winner": chosen.get((row["collective"], float(row["bytes"])), ""),
             "date": datetime.date.today()}
            for row in rows]


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


def version(library):
    words = {"mpich": ["mpichversion"], "openmpi": ["ompi_info", "--version"]}[library]
    return " ".join(subprocess.run(words, capture_output=True, text=True).stdout.split("\n")[0].split())


def picture(directory, name, kind, library, rows):
    """Draws a heat map, and returns what shows it."""
    cells = {(f"{row['collective']} {row['p']}", size_name(size_of(row))): speed_up(row)
             for row in rows}
    heatmap.draw(directory / f"{name}.svg",
                 f"time of native {library}, over {kind or 'tuned-'}Tutti’s".replace("-", " "), cells,
                 "collective, p", "n (bytes)")
    return f"![{name}](results/{name}.svg)\n"


def report(name, rows, arguments, about, text_of):
    """Prints what text_of(rows, library) says, draws heat maps per library, and puts both into
    docs/results.md if the CSV file lies beside it."""
    directory = pathlib.Path(arguments.out).resolve().parent
    dates = ", ".join(sorted({str(row[key]) for row in rows for key in ("date", "untuned_date")
                              if row.get(key)}))
    text = (f"{about}, {dates}, {platform.machine()}, Linux {platform.release()}. "
            f"`{pathlib.Path(arguments.out).name}` has the times.\n\n")
    for library in dict.fromkeys(row["library"] for row in rows):
        own = [row for row in rows if row["library"] == library]
        text += f"### {version(library)}\n\n{text_of(own, library)}\n"
        for kind, some in (("", of_tuned(own)), ("untuned-", of_untuned(own))):
            if some:
                text += picture(directory, f"{name}-{kind}{library}", kind, library, some)
        text += "\n"
    print(text)
    if directory == RESULTS:
        page.put(name, text)


def read_arguments(parser, name, sizes, budget, seconds, collectives=COLLECTIVES):
    add = parser.add_argument
    add("--libraries", default="mpich,openmpi")
    add("--collectives", default=",".join(collectives))
    add("--bytes", default=sizes, help="n, bytes of the whole message")
    add("--budget", default=budget, help="for tuning each")
    add("--seconds", default=seconds, help="about how long a case may take")
    add("--untuned", action="store_true",
        help="measure only that, in some minutes: all else that --out has stays")
    add("--out", default=str(RESULTS / f"{name}.csv"))
    arguments = parser.parse_args()
    arguments.libraries = arguments.libraries.split(",")
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


def write_rows(path, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue())


def run(name, arguments, places, starts=1):
    """All rows of --out, written as they come: those of a place that is not measured now are kept.
    `places` are short names, names, and functions that make a place, a context for a library."""
    out = pathlib.Path(arguments.out).resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = read_rows(out)
    for library in arguments.libraries:
        for short, place_name, make in places:
            profile = out.parent / f"{name}-{library}-{short}.json"
            with make(ROOT / "build" / library) as place:
                if not arguments.untuned:
                    fresh = tuned(place, place_name, arguments, library, profile, starts)
                    rows = [row for row in rows
                            if (row["library"], row["place"]) != (library, place_name)] + fresh
                rows = merged(rows, untuned(place, place_name, arguments, library, starts))
            write_rows(out, rows)
    return rows
