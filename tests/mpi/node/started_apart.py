#!/usr/bin/env python3
"""A program whose ranks are started by several commands of one launcher, each with variables of its
own.

  started_apart.py --mpi mpich --mpirun mpirun.mpich --tutti libtutti.so -p 4 [--yielding lib.so]
                   [--expects TEXT] VARIABLES... -- PROGRAM ARGS...

-p              ranks of each command
--expects TEXT  stands in what they print
VARIABLES       of each command: NAME=VALUE, or - for none
"""
import sys

import jobs

LIMIT_SECONDS = 60


def command(options, program):
    """The launcher's, with a part for each set of variables."""
    whole = jobs.command(options, program)
    count, env = whole.index("-np"), whole.index("env")
    line = whole[:count] + whole[count + 2:env]
    for number, variable in enumerate(options.variables):
        line += [":"] if number > 0 else []
        line += ["-n", str(options.ranks), "env", *([variable] if variable != "-" else [])]
        line += whole[env + 1:]
    return line


def main():
    parser = jobs.parser()
    parser.add_argument("--expects", default="")
    parser.add_argument("variables", nargs="+")
    split = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:split])
    done = jobs.end(jobs.start(command(options, sys.argv[split + 1:]), TUTTI_POLICY="model"),
                    LIMIT_SECONDS)
    is_right = done.status == 0 and ", 0 failed" in done.output and options.expects in done.output
    print("all passed" if is_right else f"FAILED: status {done.status}\n{done.output[-3000:]}")
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
