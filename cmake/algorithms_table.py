#!/usr/bin/env python3
"""Writes the table in docs/algorithms.md from what `tutti algorithms --json` says.

    cmake/algorithms_table.py build/no-mpi/bin/tutti            rewrite the table
    cmake/algorithms_table.py build/no-mpi/bin/tutti --check    exit status 1 if it is out of date
"""
import argparse
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "algorithms.md"
BEGIN = "<!-- table: written by cmake/algorithms_table.py -->\n"
END = "<!-- end of table -->\n"


def table(tutti):
    listed = subprocess.run([tutti, "algorithms", "--json"], check=True, capture_output=True)
    rows = [("collective", "algorithm", "what it does", "rounds", "cost", "requires", "source")]
    rows.append(("---",) * len(rows[0]))
    for each in json.loads(listed.stdout):
        rows.append((each["collective"], each["name"], each["summary"], f"`{each['rounds']}`",
                     f"`{each['cost']}`", each["requires"] or "-", each["source"]))
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tutti", help="the command, of any preset")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    fresh = before + BEGIN + table(arguments.tutti) + END + after
    if not arguments.check:
        PAGE.write_text(fresh)
    elif fresh != page:
        sys.exit(f"{PAGE} is out of date: run cmake/algorithms_table.py {arguments.tutti}")


if __name__ == "__main__":
    main()
