"""Instructions as callgrind counts them (Debian package valgrind). No load changes them."""
import collections
import os
import re
import subprocess
import tempfile

SUBSTITUTED = re.compile(r"\((\d+)\)(?: (.*))?")


def command(program, function, profile, *options):
    """Words that run `program` and count what `function` and its callees do."""
    return ["valgrind", "--tool=callgrind", f"--toggle-collect={function}",
            f"--callgrind-out-file={profile}", "--log-file=/dev/null", *options, *program]


def by_place(profile):
    """(library, function) -> instructions of its own, from a file that callgrind wrote."""
    names = {"ob": {}, "fn": {}}
    at = {"ob": "", "fn": ""}
    found = collections.Counter()
    callee = False
    with open(profile, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, equals, value = line.rstrip("\n").partition("=")
            if equals and key in ("ob", "cob", "fn", "cfn"):
                number, name = SUBSTITUTED.fullmatch(value).groups()
                if name is not None:
                    names[key[-2:]][number] = name
                if key in at:
                    at[key] = names[key][number]
            elif key == "calls" and equals:
                callee = True  # the next line is what the callee took
            elif line[:1] in "0123456789+-*":
                if not callee:
                    found[os.path.basename(at["ob"]), at["fn"]] += int(line.split()[1])
                callee = False
    return found


def instructions(program, function):
    """What `function` and its callees take in a run of `program`."""
    with tempfile.TemporaryDirectory() as directory:
        profile = os.path.join(directory, "callgrind.out")
        subprocess.run(command(program, function, profile), check=True, stdout=subprocess.DEVNULL)
        total = sum(by_place(profile).values())
    if total == 0:
        raise SystemExit(f"{program[0]}: nothing was counted in {function}")
    return total
