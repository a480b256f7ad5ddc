"""What the tests of the tutti command share."""
import os
import subprocess

failures = []


class Tutti:
    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, **environment):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("TUTTI_")}
        return subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              env=inherited | environment, timeout=300)


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def refuses(tutti, arguments, *words, status=2, **environment):
    """Exactly one line on standard error, which has all the words, nothing on standard output."""
    result = tutti(*arguments, **environment)
    name = "tutti " + " ".join(arguments)
    lines = result.stderr.splitlines()
    check(result.returncode == status, f"{name}: exit status {result.returncode}, not {status}")
    check(len(lines) == 1, f"{name}: {len(lines)} lines on standard error: {result.stderr}")
    check(result.stdout == "", f"{name}: prints {result.stdout}")
    for word in words:
        check(word in result.stderr, f"{name}: '{word}' is missing in: {result.stderr}")


def prints(tutti, arguments, *words, **environment):
    """Exit status 0, nothing on standard error, all the words on standard output."""
    result = tutti(*arguments, **environment)
    name = "tutti " + " ".join(arguments)
    check(result.returncode == 0, f"{name}: exit status {result.returncode}: {result.stderr}")
    check(result.stderr == "", f"{name}: complains: {result.stderr}")
    for word in words:
        check(word in result.stdout, f"{name}: '{word}' is missing in: {result.stdout}")
    return result.stdout


def report():
    print(f"{len(failures)} failures")
    return 1 if failures else 0
