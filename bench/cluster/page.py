"""The parts of hand-written pages that programs write: in docs/results.md each between two comments;
elsewhere numbers, <!--=name-->in the text<!--/-->."""
import os
import re

import files

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "results.md")
BEGIN, END = "<!-- {}: written by a program -->\n", "<!-- end -->\n"
NUMBER = re.compile(r"(<!--=(\w+)-->)(.*?)(<!--/-->)")


def put(name, text):
    with open(PAGE, encoding="utf-8") as source:
        whole = source.read()
    begin = BEGIN.format(name)
    head, found, rest = whole.partition(begin)
    if not found:
        raise SystemExit(f"{PAGE} has no place for '{name}': a line {begin.strip()}, then {END.strip()}")
    _, _, tail = rest.partition(END)
    files.write_atomically(PAGE, head + begin + "\n" + text + END + tail)


def lines(rows):
    """A table, of rows of cells."""
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def table(goals):
    """Lines of four cells: a goal, the figure reached, where, and whether that is enough."""
    return lines([["goal", "reached", "at", ""], ["---", "---:", "---", "---"], *goals])


def fill(path, numbers):
    """Names of the page that have no number; their text is left as it is."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    unknown = sorted({name for _, name, _, _ in NUMBER.findall(text)} - set(numbers))
    files.write_atomically(path, NUMBER.sub(
        lambda m: m[1] + numbers.get(m[2], m[3]) + m[4], text))
    return unknown
