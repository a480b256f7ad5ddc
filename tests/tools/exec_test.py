#!/usr/bin/env python3
"""tutti exec: exec_test.py TUTTI mpich|openmpi. Needs cc and the compilers of both MPIs."""
import os
import shutil
import subprocess
import sys
import tempfile

from harness import Tutti, check, prints, refuses, report

other = {"mpich": "openmpi", "openmpi": "mpich"}[sys.argv[2]]
folder = tempfile.mkdtemp()
# A copy beside a library of our own: what is tested is the command, not what it preloads.
os.makedirs(folder + "/bin")
os.makedirs(folder + "/lib")
shutil.copy(sys.argv[1], folder + "/bin/tutti")
tutti = Tutti(folder + "/bin/tutti")
show = 'puts(getenv(n) ? getenv(n) : "-")'
SOURCE = f"""
#include <stdio.h>
#include <stdlib.h>
int MPI_Initialized(int*);
static void show(const char* n) {{ {show}; }}
int main(int argc, char** argv) {{
  int flag;
  if (argc > 99) MPI_Initialized(&flag);
  show("LD_PRELOAD"); show("TUTTI_FORCE"); show("TUTTI_REPORT");
  for (int i = 1; i < argc; ++i) puts(argv[i]);
}}"""


def compiled(name, source, compiler, *options):
    path = os.path.join(folder, name)
    with open(path + ".c", "w") as file:
        file.write(source)
    subprocess.run([compiler, path + ".c", "-w", "-o", path, *options], check=True)
    return path


def make(mpi):
    return compiled("with_" + mpi, SOURCE, "mpicc." + mpi)


library = compiled("lib/libtutti.so", "int tutti;", "cc", "-shared", "-fPIC")
engine = os.path.join(folder, f"lib/libtutti-engine-{sys.argv[2]}.so")
open(engine, "w").close()
mine, others = make(sys.argv[2]), make(other)
uses = "int MPI_Initialized(int*); int f(int* x) { return MPI_Initialized(x); }"
compiled("libuses.so", uses, "mpicc." + sys.argv[2], "-shared", "-fPIC")
calls = "int f(int*); int main(int c, char** v) { return c > 9 ? f(&c) : 0; }"
indirect = compiled("indirect", calls, "cc", "-L" + folder, "-luses", "-Wl,-rpath," + folder)
plain = compiled("plain", "int main() { return 0; }", "cc")
static = compiled("static", "int main() { return 0; }", "cc", "-static")

# What starts ranks of the other family.
os.makedirs(folder + "/wrong")
said = {"mpich": "HYDRA build details", "openmpi": "mpirun (Open MPI) 4"}[other]
with open(folder + "/wrong/mpirun", "w") as file:
    file.write(f"#!/bin/sh\necho '{said}'\n")
os.chmod(file.name, 0o755)

prints(tutti, ["exec", "--help"], "Examples:", "--report", "--force", "--unchecked")
run = ["exec", "--report", "--force", "allreduce=circulant", "--", mine, "a", "--", "-b c"]
output = prints(tutti, run, LD_PRELOAD="").splitlines()
check(output == [library, "allreduce=circulant", "1", "a", "--", "-b c"], f"exec sets {output}")
kept = prints(tutti, ["exec", "--", mine], LD_PRELOAD="libm.so.6", TUTTI_FORCE="bcast=binomial")
check(kept.splitlines() == [library + ":libm.so.6", "bcast=binomial", "-"], f"exec keeps {kept}")
prints(tutti, ["exec", "--", indirect])
prints(tutti, ["exec", "--", "with_" + sys.argv[2]], library, PATH=folder)
prints(tutti, ["exec", "--unchecked", "--", plain])
# Another library of MPICH's family.
fake = "int MPI_Initialized(int* x) { return *x = 0; }"
cousin = "libmpi.so.12"
compiled(cousin, fake, "cc", "-shared", "-fPIC", "-Wl,-soname," + cousin)
linked = compiled("cousins", SOURCE, "cc", os.path.join(folder, cousin), "-Wl,-rpath," + folder)
asan = ["exec", "--unchecked", "--", "printenv", "ASAN_OPTIONS"]
first = "verify_asan_link_order=0"
check(prints(tutti, asan).strip() == first, "AddressSanitizer may come later")
check(prints(tutti, asan, ASAN_OPTIONS="verbosity=0").strip() == first + ":verbosity=0", "kept")

names = {"mpich": "MPICH", "openmpi": "Open MPI"}
if sys.argv[2] == "mpich":
    prints(tutti, ["exec", "--", linked], library)
else:
    refuses(tutti, ["exec", "--", linked], cousin, "MPICH", "this tutti is for Open MPI")
refuses(tutti, ["exec", "--", others], f"is linked to {names[other]}",
        f"this tutti is for {names[sys.argv[2]]}", f"libtutti-engine-{other}.so is missing")
launched = {"mpich": "MPI_LOCALRANKID", "openmpi": "OMPI_COMM_WORLD_SIZE"}
prints(tutti, ["exec", "--", mine], library, **{launched[sys.argv[2]]: "1"})
refuses(tutti, ["exec", "--", mine], f"started by the launcher of {names[other]}",
        f"mpirun of {names[sys.argv[2]]}", **{launched[other]: "1"})
prints(tutti, ["exec", "--", mine], library, **{each: "1" for each in launched.values()})
refuses(tutti, ["exec", "--", static], "statically linked")
refuses(tutti, ["exec", "--", plain], "not an MPI program", "--unchecked")
refuses(tutti, ["exec"], "PROGRAM")
refuses(tutti, ["exec", "--"], "PROGRAM")
refuses(tutti, ["exec", mine], "--")
refuses(tutti, ["exec", "--", "/no/program"], "'/no/program'", "no such file")
refuses(tutti, ["exec", "--", "no-such-program"], "'no-such-program'", "PATH")
refuses(tutti, ["exec", "--", mine + ".c"], "not executable")
refuses(tutti, ["exec", "--", "mpirun", "-n", "2", mine], "mpirun ... tutti exec")
refuses(tutti, ["exec", "--force", "bcast=wave", "--", mine], "'wave'", "binomial")
refuses(tutti, ["exec", "--", mine], "'sing'", "bcast", TUTTI_FORCE="sing=x")

script = os.path.join(folder, "script.sh")
with open(script, "w") as file:
    file.write("#!/usr/bin/env -S sh -e\necho sung\n")
os.chmod(script, 0o755)
said = [f"'{script}' is a script for sh", "'sh' is an interpreter"]
for program, what in zip([[script], ["sh", "-c", "echo sung"]], said):
    result = tutti("exec", "--", *program)
    check(result.stdout == "sung\n" and result.returncode == 0, f"{program} runs")
    check(result.stderr.count("\n") == 1 and f"{what}; Tutti acts if" in result.stderr,
          f"{program}: a warning, not {result.stderr}")
    for rank in ["PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"]:
        quiet = tutti("exec", "--", *program, **{rank: "3"})
        check(not quiet.stderr, "one rank is enough to say it")
with open(os.path.join(folder, "data"), "w") as file:
    file.write("neither ELF nor script")
os.chmod(file.name, 0o755)
refuses(tutti, ["exec", "--", file.name], "cannot be run", "ELF")
# What doctor says of them.
told = prints(tutti, ["doctor", mine], library, "not served", "none on PATH", "Nothing is wrong",
              PATH=folder)
for words in ["is served: mpirun", f"libtutti-engine-{sys.argv[2]}.so"]:
    check(words in " ".join(told.split()), f"doctor does not say {words}: {told}")


def finds(program, *words, **environment):
    result = tutti("doctor", program, **environment)
    check(result.returncode == 1 and "Wrong: 1." in result.stdout and not result.stderr,
          f"doctor {program}: {result}")
    check(all(word in " ".join(result.stdout.split()) for word in words), f"{words}: {result.stdout}")


finds(others, f"no engine for {names[other]}", PATH=folder)
finds(static, "statically linked", PATH=folder)
finds(mine, f"of {names[other]}", f"the program is of {names[sys.argv[2]]}", PATH=folder + "/wrong")
finds(mine, "'sing'", PATH=folder, TUTTI_FORCE="sing=x")
compiled("libtutti-other.so", "int other;", "cc", "-shared", "-fPIC")
finds(mine, "another Tutti", PATH=folder, LD_PRELOAD=folder + "/libtutti-other.so")
refuses(tutti, ["doctor", "/no/program"], "no such file")
# The commands that measure, where nothing does.
refuses(tutti, ["bench", "allreduce"], "built without an MPI library")
refuses(tutti, ["tune", "--no-such-option"], f"launcher of {names[other]}",
        f"this tutti is for {names[sys.argv[2]]}", **{launched[other]: "1"})
os.remove(engine)
refuses(tutti, ["exec", "--", mine], names[sys.argv[2]], "for no library", engine)
os.remove(library)
refuses(tutti, ["exec", "--", mine], "libtutti.so", "expected")
sys.exit(report())
