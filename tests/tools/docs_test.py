#!/usr/bin/env python3
"""The documents: links lead somewhere, commands run, samples and quotes are true.

    docs_test.py TUTTI            check
    docs_test.py TUTTI --write    put what tutti prints today into the samples
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
# Commands that need no MPI, also as part of a loop.
COMMAND = re.compile(r"^(?:for .*; do )?tutti "
                     r"(?:algorithms|verify|explain|simulate|draw|map|plot|export|advise)\b.*$")
SAMPLE = re.compile(r"^<!-- output of: ([^\n]+) -->\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"^<!-- from: ([^\n]+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What the pages' commands that need MPI would have written.
STAND_INS = {"site.json": "examples/site-peers.json", "trace.json": "examples/trace.json",
             "machine.json": "share/tutti/machines/eth10g.json"}

tutti = None


def anchors(text):
    """Of the page's headings, as web sites make them."""
    found = {}
    for heading in HEADING.findall(FENCED.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return set(found) | {f"{name}-{i}" for name, most in found.items() for i in range(1, most + 1)}


def broken_links(page, text):
    """Relative links of a page that lead nowhere."""
    broken = []
    for target in LINK.findall(FENCED.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists():
            broken.append(f"{target}: no such file")
        elif fragment and fragment not in anchors(text if there == page else there.read_text()):
            broken.append(f"{target}: no such heading")
    return broken


def commands(text):
    """Lines of code blocks that run tutti without MPI."""
    lines = [line[4:] for line in FENCED.sub("", text).splitlines() if line.startswith("    ")]
    for block in FENCED.findall(text):
        lines += block.splitlines()[1:-1]
    return [line for line in (line.removeprefix("$ ") for line in lines) if COMMAND.match(line)]


def shows(sample, output):
    """Whether a sample is the output; a line of three dots stands for any number of lines."""
    wanted = [line.rstrip() for line in sample.splitlines()]
    found = [line.rstrip() for line in output.splitlines()]
    at = 0
    while wanted:
        if wanted[0] != "...":
            if at == len(found) or wanted.pop(0) != found[at]:
                return False
            at += 1
            continue
        while wanted and wanted[0] == "...":
            wanted.pop(0)
        if not wanted:
            return True
        if wanted[0] not in found[at:]:
            return False
        at = found.index(wanted[0], at)
    return at == len(found)


class Place:
    """A temporary directory with the examples, where `tutti` is the one to be tested."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        here = pathlib.Path(self.folder.name)
        (here / "bin").mkdir()
        (here / "bin" / "tutti").symlink_to(pathlib.Path(tutti).resolve())
        for name in ("examples", "share"):
            (here / name).symlink_to(ROOT / name)
        for name, source in STAND_INS.items():
            (here / name).write_text((ROOT / source).read_text())
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("TUTTI_")}
        self.environment["PATH"] = f"{here / 'bin'}:{os.environ['PATH']}"
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def run(self, command):
        return subprocess.run(["bash", "-c", f"set -e -o pipefail; {command}"], text=True,
                              capture_output=True, cwd=self.folder.name, env=self.environment,
                              timeout=300)


def failing(text):
    """Commands of a page, and why they fail."""
    with Place() as place:
        done = [(command, place.run(command)) for command in commands(text)]
    return [f"{command}: {result.stderr}" for command, result in done if result.returncode != 0]


def stale(text):
    """Samples of a page that are not what tutti prints, or stand behind no such command."""
    wrong = []
    with Place() as place:
        for sample in SAMPLE.finditer(text):
            result = place.run(sample[1])
            if sample[1] not in commands(text[:sample.start()]):
                wrong.append(f"{sample[1]}: shown, but not named before")
            if result.returncode != 0 or not shows(sample[2], result.stdout):
                wrong.append(f"{sample[1]}: prints\n{result.stdout}{result.stderr}")
    return wrong


def misquoted(text):
    """Files of which a page shows lines that they do not have."""
    return [path for path, lines in QUOTED.findall(text) if lines not in (ROOT / path).read_text()]


def native_bugs(source):
    """What tests/mpi/native_bugs.cpp has in the rows of its tables."""
    constants = {name: "".join(re.findall(r'"(.*?)"', value)) for name, value in
                 re.findall(r"const char\* const (\w+) =\s*((?:\"[^\"]*\"\s*)+);", source)}
    rows = re.findall(r"Right::\w+,\s*((?:\"[^\"]*\"\s*)+|\w+)\}", source)
    return [constants.get(row) or "".join(re.findall(r'"(.*?)"', row)) for row in rows]


def unlisted(source, text):
    """Bugs in the tests' list that a page does not have."""
    words = " ".join(text.split())
    return sorted({bug for bug in native_bugs(source) if bug not in words})


def renewed(text):
    """A page with today's output; of a sample that ends in three dots as many lines as it has."""
    with Place() as place:
        def fresh(sample):
            lines = [line.rstrip() for line in place.run(sample[1]).stdout.splitlines()]
            old = sample[2].splitlines()
            if old and old[-1] == "...":
                lines[len(old) - 1:] = ["..."]
            return "\n".join([f"<!-- output of: {sample[1]} -->", "```text", *lines, "```"])
        return SAMPLE.sub(fresh, text)


class Pages(unittest.TestCase):
    def each(self, pages, complaints):
        for page in pages:
            with self.subTest(page=str(page.relative_to(ROOT))):
                self.assertEqual(complaints(page), [])

    def test_links_lead_somewhere(self):
        self.each(PAGES, lambda page: broken_links(page, page.read_text()))

    def test_commands_run(self):
        self.assertGreater(sum(len(commands(page.read_text())) for page in PAGES), 10)
        self.each(PAGES, lambda page: failing(page.read_text()))

    def test_samples_are_what_tutti_prints(self):
        self.assertGreater(sum(len(SAMPLE.findall(page.read_text())) for page in PAGES), 2)
        self.each(PAGES, lambda page: stale(page.read_text()))

    def test_native_bugs_are_listed(self):
        bugs = (ROOT / "tests/mpi/native_bugs.cpp").read_text()
        self.assertEqual(len(native_bugs(bugs)), bugs.count("Right::messages,") +
                         bugs.count("Right::nothing,"))
        self.assertEqual(unlisted(bugs, (ROOT / "docs/reference/limits.md").read_text()), [])

    def test_quotes_are_what_files_say(self):
        self.assertTrue(any(QUOTED.search(page.read_text()) for page in PAGES))
        self.each(PAGES, lambda page: misquoted(page.read_text()))


BAD = """# A page
See [there](no_such_file.md), [here](#no-heading), [this](#a-page) and [it](https://example.org).

    tutti explain allreduce --ranks many
    mpirun -n 4 tutti exec -- ./program
    tutti simulate barrier --ranks 8

<!-- output of: tutti simulate barrier --ranks 8 -->
```text
barrier, p = 9
...
```

<!-- from: LICENSE -->
```text
No such licence
```
"""


class Checks(unittest.TestCase):
    """That each check can fail."""

    def test_links(self):
        self.assertEqual(broken_links(ROOT / "README.md", BAD),
                         ["no_such_file.md: no such file", "#no-heading: no such heading"])

    def test_commands(self):
        self.assertEqual(len(commands(BAD)), 2)
        self.assertEqual(len(failing(BAD)), 1)
        self.assertIn("--ranks many", failing(BAD)[0])

    def test_samples(self):
        self.assertEqual(len(stale(BAD)), 1)
        self.assertEqual(stale(BAD.replace("p = 9", "p = 8")), [])
        self.assertEqual(stale(renewed(BAD)), [])
        unnamed = BAD.replace("    tutti simulate barrier --ranks 8\n", "")
        self.assertIn("not named before", stale(unnamed)[0])

    def test_quotes(self):
        self.assertEqual(misquoted(BAD), ["LICENSE"])

    def test_native_bugs(self):
        source = """const char* const lost =
    "data is "
    "lost";
    {"*", is_long, Right::messages, lost},
    {"Scan", is_empty, Right::nothing,
     "divides by 0"},
"""
        self.assertEqual(native_bugs(source), ["data is lost", "divides by 0"])
        self.assertEqual(unlisted(source, "| library | divides\nby 0 |"), ["data is lost"])

    def test_gaps(self):
        for sample, same in [("a\nb\nc", True), ("a\n...\nc", True), ("a\n...", True),
                             ("...\nc", True), ("a\nb", False), ("...\nb", False),
                             ("a\n...\nd", False), ("b\nc", False), ("a\nb\nc\nd", False)]:
            self.assertEqual(shows(sample, "a\nb \nc\n"), same, sample)


if __name__ == "__main__":
    tutti = sys.argv.pop(1)
    if "--write" in sys.argv:
        for each in PAGES:
            each.write_text(renewed(each.read_text()))
    else:
        unittest.main()
