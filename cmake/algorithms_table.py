#!/usr/bin/env python3
"""Writes the tables in docs/reference/algorithms.md from `tutti algorithms` and `tutti simulate`.

    cmake/algorithms_table.py build/no-mpi/bin/tutti            rewrite the tables
    cmake/algorithms_table.py build/no-mpi/bin/tutti --check    exit status 1 if one is out of date
"""
import argparse
import functools
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "reference" / "algorithms.md"
BEGIN = "<!-- table of {}: written by cmake/algorithms_table.py -->\n"
END = "<!-- end of table -->\n"
RANKS = [6, 8, 13, 16, 33]
BYTES = "1M"


def ask(tutti, *arguments):
    asked = subprocess.run([tutti, *arguments, "--json"], check=True, capture_output=True)
    return json.loads(asked.stdout)


def table(head, rows):
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def algorithms(catalog):
    head = ("collective", "algorithm", "what it does", "rounds", "cost", "within", "requires",
            "source")
    return table(head, [(each["collective"], each["name"], each["summary"], f"`{each['rounds']}`",
                         f"`{each['cost']}`", f"{each['within']:g}", each["requires"] or "-",
                         each["source"]) for each in catalog])


def published(catalog, tutti):
    """A row per formula: collectives that one file serves share theirs."""
    @functools.cache
    def simulated(collective, ranks):
        answer = ask(tutti, "simulate", collective, "--ranks", str(ranks), "--bytes", BYTES)
        return {each["algorithm"]: each for each in answer["algorithms"]}

    def ratio(collective, name, ranks):
        result = simulated(collective, ranks)[name]
        return f"{result['published_seconds'] / result['seconds']:.2f}"

    serving = {}
    for each in catalog:
        if each["published"]:
            same = (each["name"], each["published"], each["cost"], each["difference"])
            serving.setdefault(same, []).append(each["collective"])
    head = ("collective", "algorithm", "the paper", "here", "difference",
            *(f"p = {p}" for p in RANKS))
    return table(head, [(", ".join(collectives), name, f"`{paper}`", f"`{here}`", difference,
                         *(ratio(collectives[0], name, p) for p in RANKS))
                        for (name, paper, here, difference), collectives in serving.items()])


def replaced(page, name, fresh):
    before, begin, rest = page.partition(BEGIN.format(name))
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PAGE} has no place for the table of {name}")
    return before + begin + fresh + end + after


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tutti", help="the command, of any preset")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    catalog = ask(arguments.tutti, "algorithms")
    page = PAGE.read_text()
    fresh = replaced(page, "algorithms", algorithms(catalog))
    fresh = replaced(fresh, "the paper's formulas", published(catalog, arguments.tutti))
    if not arguments.check:
        PAGE.write_text(fresh)
    elif fresh != page:
        sys.exit(f"{PAGE} is out of date: run cmake/algorithms_table.py {arguments.tutti}")


if __name__ == "__main__":
    main()
