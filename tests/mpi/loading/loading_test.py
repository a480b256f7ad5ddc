#!/usr/bin/env python3
"""What libtutti.so and its engine bring into a process, and which processes they serve.

  loading_test.py mpich|openmpi BUILD
"""
import os
import re
import shutil
import subprocess
import sys

from programs import HERE, Checks, Library

library = Library(sys.argv[1], sys.argv[2])
other = Library({"mpich": "openmpi", "openmpi": "mpich"}[library.name], library.build)
checks = Checks()
check = checks.check
MPI = {"mpich": "libmpich.so.12", "openmpi": "libmpi.so.40"}
MEMBERS = {"mpich": "MPICH", "openmpi": "Open MPI"}
libc = {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libdl.so.2",
        "libpthread.so.0"}


def output(*command, **environment):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                          env=dict(os.environ, **environment)).stdout


def needed(path):
    return set(re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-dW", path)))


def exported(path):
    lines = output("nm", "-DC", "--defined-only", path).splitlines()
    return {line.split(" ", 2)[2].split("(")[0].removesuffix("@@Base") for line in lines}


# What they need, and what they show.
check(needed(library.stub) <= libc, f"libtutti.so needs {needed(library.stub)}")
allowed = libc | {"libm.so.6"}
check(needed(library.engine) <= allowed, f"the engine needs {needed(library.engine)}")
# The functions of the program's MPI library are there when it is loaded; no others are missing.
compilers = r"_ITM_\w+|_ZGTt\w+|__cxa_pure_virtual|__gmon_start__"  # weak
missing = [line.split()[-1] for line in
           output("nm", "-D", "--undefined-only", library.engine).splitlines()]
missing = [each for each in missing if "@" not in each and not re.fullmatch(compilers, each)]
strange = [each for each in missing if not re.match("PMPI_|OMPI_C_MPI_|ompi_", each)]
check(len(missing) > 30 and not strange, f"the engine lacks {strange}")
functions = re.findall(r"^TUTTI_FUNCTION\((\w+), (\w+),",
                       open(HERE + "/../../../src/runtime/functions.def").read(), re.M)
check(len(functions) >= 17, f"functions: {functions}")
names = {f"MPI_{Name}" for Name, _ in functions}
large_counts = {f"MPI_{Name}_c" for Name, _ in functions}
of_family = {
    "mpich": large_counts | {"mpi_barrier_f08_"},
    "openmpi": {form.format(name) for _, name in functions
                for form in ("mpi_{}_", "mpi_{}__", "ompi_{}_f")}
               | {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple"}}
api = {f"tutti::{name}" for _, name in functions} | {"tutti::force_or_say_why_not"}
shown = exported(library.stub)
expected = names.union(api, *of_family.values())
check(shown == expected, f"libtutti.so: {shown ^ expected}")
# For the handles of each family.
symbols = output("nm", "-DC", "--defined-only", library.stub)
for name in api:
    with_handles = re.findall(re.escape(name) + r"\([^()]*(\bint|ompi_communicator_t\*|MPI_ABI_Comm\*)", symbols)
    check(len(with_handles) == 3, f"{name}: for {with_handles}")
own = names | of_family[library.name] | {f"tutti_{name}" for _, name in functions} | {"tutti_force", "tutti_next"}
check(exported(library.engine) == own, f"the engine: {exported(library.engine) ^ own}")

# A program that links it asks for the version it was built with.
version = ".".join(re.findall(r"TUTTI_VERSION_(?:MAJOR|MINOR) (\d+)",
                              open(HERE + "/../../../include/tutti/version.hpp").read()))
soname = re.search(r"SONAME.*\[(.*)\]", output("readelf", "-dW", library.stub))[1]
check(soname == f"libtutti.so.{version}", f"libtutti.so names itself {soname}")

# Nothing of the engine is destroyed before the program ends: what it would be lost at exit().
objects = [os.path.join(folder, file) for folder, _, files in os.walk(library.build + "/src")
           if re.search(r"tutti_(?!tools|library|measure)\w+\.dir", folder) for file in files
           if file.endswith(".o")]
check(len(objects) > 50, f"objects in {library.build}: {len(objects)}")


def registers_destructors(path):
    return "atexit" in output("nm", "--undefined-only", path)


for each in objects:
    check(not registers_destructors(each), f"{each} has an object that is destroyed at exit")
static = library.compiled("exit.cpp", "-c", compiler="mpicxx", output="exit.o")
check(registers_destructors(static), "this test sees a static object with a destructor")

# A child that has nothing to do with MPI maps one library more.
loader = re.search(r"interpreter: (.*)\]", output("readelf", "-lW", "/bin/true"))[1]


def mapped(preload):
    return output(loader, "--preload", preload, "--list", "/bin/true").count("\n")


without = output(loader, "--list", "/bin/true").count("\n")
check(mapped(library.stub) == without + 1, "libtutti.so brings a library")
check(mapped(library.engine) > without + 1, "the engine would")


def runs(what, done, *said, ranks=2):
    check(done.returncode == 0, f"{what}: exit status {done.returncode}", done)
    # The launcher may end a line of one rank behind that of another.
    printed = done.stdout.replace("\n", "")
    check(printed == " ".join(said) * ranks, f"{what}: not '{said}'", done)


# Who is served, and who is left alone.
program = library.compiled("plugin.c")
runs("a program", library.run(2, program), "right with the engine")
foreign = other.compiled("plugin.c", output="foreign")
done = other.run(1, foreign, preload=library.stub)
runs("a program of another MPI library", done, "right without the engine", ranks=1)
line = f"no effect on this program of {MEMBERS[other.name]}"
check(done.stderr.count(line) == 1, f"a program of another MPI library: not '{line}' once", done)
late = library.compiled("late.c", "-ldl")
plugin = library.compiled("plugin.c", "-DPLUGIN", "-shared", "-fPIC", output="plugin.so")
done = library.run(2, late, "plugin", plugin, TUTTI_REPORT="1", TUTTI_FORCE="allreduce=circulant")
runs("a plugin loaded late", done, "right with the engine")
check("circulant" in done.stderr, "a plugin is served", done)
foreign = other.compiled("plugin.c", "-DPLUGIN", "-shared", "-fPIC", output="foreign.so")
late = os.path.join(library.folder, "unlinked")
subprocess.run(["cc", os.path.join(HERE, "late.c"), "-w", "-o", late, "-ldl"],
               check=True)
done = other.run(1, late, "plugin", foreign, preload=library.stub)
runs("a plugin of another library", done, "right without the engine", ranks=1)

# Large counts, where the library has none too.
large = library.compiled("large.c")
native = {"mpich": "right", "openmpi": "without large counts"}[library.name]
runs("large counts, native", library.run(2, large, preload=""), native)
done = library.run(2, large, TUTTI_REPORT="1", TUTTI_FORCE="allreduce=circulant")
runs("large counts", done, "right")
check("circulant" in done.stderr, "large counts are served", done)

# Whoever finds MPI's functions by the library's handle is told that nothing was seen.
done = library.run(2, late, "handle", MPI[library.name], TUTTI_REPORT="1")
runs("by the handle", done, "right")
said = done.stderr.count("no collective call was seen")
check(said == 1, f"by the handle: {said} ranks say so, not one", done)
done = library.run(2, late, "handle", MPI[library.name])
check("seen" not in done.stderr, "by the handle: only where a report is wanted", done)

# Children do not disturb it, and say nothing.
program_that_forks = library.compiled("fork.c")
done = library.run(2, program_that_forks, TUTTI_REPORT="1", TUTTI_FORCE="allreduce=circulant")
runs("a program that forks", done, "right")
reports = done.stderr.count("Tutti: collectives of rank 0")
check(reports == 1 and "circulant" in done.stderr, f"a program that forks: {reports} reports", done)

# Without the engine: a line, and the program's own library.
alone = shutil.copy(library.stub, library.folder)
done = library.run(2, program, preload=alone)
runs("without an engine", done, "right without the engine")
lines = [line for line in done.stderr.splitlines() if line.startswith("tutti:")]
check(len(lines) == 1 and "engine" in lines[0], f"without an engine: one line, not {lines}", done)

# By another name, and by a path relative to where the program no longer is.
link = os.path.join(library.folder, "link.so")
os.symlink(library.stub, link)
runs("through a link", library.run(2, program, preload=link), "right with the engine")
done = library.run(2, program, preload="./lib/libtutti.so", cwd=library.build)
runs("by a relative path", done, "right with the engine")

# The C++ API.
folder = os.path.dirname(library.stub)
program = library.compiled("api.cpp", "-std=c++17", "-I" + HERE + "/../../../include",
                           "-L" + folder, "-ltutti", "-Wl,-rpath," + folder, compiler="mpicxx",
                           output="api")
done = library.run(2, program, preload="", TUTTI_REPORT="1")
runs("a program that links Tutti", done, "right")
check("circulant" in done.stderr, "a program that links Tutti: its algorithm", done)

# AddressSanitizer wants to be loaded first.
program = library.compiled("overflow.c", "-fsanitize=address", output="sanitized")
start = [library.command, "exec", "--", program]
done = library.run(2, *start, preload="")
runs("with AddressSanitizer", done, "right")
done = library.run(1, *start, "1", "2", preload="")
found = done.returncode != 0 and "heap-buffer-overflow" in done.stderr
check(found, "AddressSanitizer finds what is wrong", done)
sys.exit(checks.status())
