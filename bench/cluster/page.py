"""The parts of docs/results.md that programs write, each between two comments."""
import os

import files

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "results.md")
BEGIN, END = "<!-- {}: written by a program -->\n", "<!-- end -->\n"


def put(name, text):
    with open(PAGE, encoding="utf-8") as source:
        whole = source.read()
    begin = BEGIN.format(name)
    head, found, rest = whole.partition(begin)
    if not found:
        raise SystemExit(f"{PAGE} has no place for '{name}': a line {begin.strip()}, then {END.strip()}")
    _, _, tail = rest.partition(END)
    files.write_atomically(PAGE, head + begin + "\n" + text + END + tail)
