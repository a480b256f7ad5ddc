#!/usr/bin/env python3
"""One installation, several MPI libraries: the same `tutti` runs the same programs on each.

  everywhere_test.py BUILD             a folder with the builds mpich, openmpi and, if it can be,
                                       abi; and in mpi/ the libraries of scripts/install-mpi
  everywhere_test.py BUILD PACKAGE     the same with what a package has (scripts/package)

Programs: C, C++, Fortran, Python (mpi4py), one that loads MPI while it runs, and one that is linked
to the standard ABI. A program that a library cannot have is named, and why.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
C_PROGRAM, LATE = HERE.parent / "mpi/loading/plugin.c", HERE.parent / "mpi/loading/late.c"
BUILD = pathlib.Path(sys.argv[1]).resolve()
WORK = pathlib.Path(tempfile.mkdtemp(prefix="everywhere."))
PREFIX = WORK / "prefix"
LIMIT_SECONDS = 120
failures = 0


def check(condition, what, done=None):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)
        if done:
            print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")


class Library:
    def __init__(self, name, family, folder=None):
        self.name, self.family, self.folder = name, family, folder
        self.mpirun = folder / "bin/mpirun" if folder else f"mpirun.{family}"

    def is_there(self):
        return self.folder is None or (self.folder / "complete").exists()

    def environment(self):
        result = {key: value for key, value in os.environ.items() if not key.startswith("TUTTI_")}
        result.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      TUTTI_NATIVE_FIRST="0", MPI4PY_MPIABI=self.family)
        result.pop("LD_PRELOAD", None)
        if self.folder:
            result["LD_LIBRARY_PATH"] = str(self.folder / "lib")
            result["PATH"] = f"{self.folder / 'bin'}:{result['PATH']}"
        elif self.family == "mpich":  # by the name that all but Debian give it
            result["LD_LIBRARY_PATH"] = str(WORK / "alias")
        return result

    def run(self, *command):
        start = [self.mpirun, "-n", "2"]
        return subprocess.run([*map(str, start + list(command))], env=self.environment(), text=True,
                              capture_output=True, timeout=LIMIT_SECONDS, check=False)


LIBRARIES = [Library("MPICH 4", "mpich"), Library("Open MPI 4", "openmpi"),
             Library("MPICH 5", "mpich", BUILD / "mpi/mpich5"),
             Library("Intel MPI", "mpich", BUILD / "mpi/intel"),
             Library("Open MPI 5", "openmpi", BUILD / "mpi/openmpi5")]


def install_builds():
    for preset in ("mpich", "openmpi", "abi"):
        if (BUILD / preset / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "--install", BUILD / preset, "--prefix", PREFIX], check=True,
                           stdout=subprocess.DEVNULL)


def install_package(package):
    if package.suffix == ".whl":
        subprocess.run(["/usr/bin/python3", "-m", "venv", PREFIX], check=True)
        pip = [PREFIX / "bin/pip", "install", "--quiet", "--no-index"]
        subprocess.run([*pip, package], check=True)
    elif package.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", package, WORK / "root"], check=True)
        (WORK / "root/usr").rename(PREFIX)
    else:
        PREFIX.mkdir()
        subprocess.run(["tar", "-C", PREFIX, "--strip-components=1", "-xzf", package], check=True)


def install():
    if len(sys.argv) > 2:
        install_package(pathlib.Path(sys.argv[2]).resolve())
    else:
        install_builds()
    (WORK / "alias").mkdir()
    found = subprocess.run(["cc", "-print-file-name=libmpich.so.12"], check=True, text=True,
                           capture_output=True).stdout.strip()
    (WORK / "alias/libmpi.so.12").symlink_to(os.path.realpath(found))


def compiled(compiler, source, output, *options):
    path = WORK / output
    subprocess.run([compiler, "-w", HERE / source, "-o", path, *options], check=True)
    return path


def python_with_mpi4py():
    """An interpreter of a virtual environment; None if mpi4py cannot be had."""
    folder = BUILD / "mpi/mpi4py"
    python = folder / "bin/python3"
    if not (folder / "complete").exists():
        made = subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=False)
        got = made.returncode == 0 and subprocess.run(
            [folder / "bin/pip", "install", "--quiet", "--no-deps", "mpi4py==4.1.2"], check=False,
            capture_output=True).returncode == 0
        if not got:
            return None
        (folder / "complete").touch()
    return python


def programs_of(family):
    late = compiled("cc", LATE, "late", "-ldl")
    plugin = compiled(f"mpicc.{family}", C_PROGRAM, f"plugin-{family}.so", "-DPLUGIN", "-shared",
                      "-fPIC")
    return {"C": [compiled(f"mpicc.{family}", C_PROGRAM, f"c-{family}")],
            # Not by mpicxx: Open MPI 4 would bring its C++ interface, which Open MPI 5 has not.
            "C++": [compiled(f"mpicc.{family}", C_PROGRAM, f"cxx-{family}", "-DOMPI_SKIP_MPICXX",
                             "-DMPICH_SKIP_MPICXX", "-xc++", "-lstdc++")],
            "loads MPI": ["--unchecked", "--", late, "plugin", plugin]}


def exec_of(program):
    words = program if "--" in program else ["--", *program]
    return [PREFIX / "bin/tutti", "exec", "--report", "--force", "allreduce=circulant", *words]


def main():
    install()
    programs = {family: programs_of(family) for family in ("mpich", "openmpi")}
    fortran = {family: [compiled(f"mpifort.{family}", "sum.f90", f"fortran-{family}", "-J", WORK)]
               for family in programs}
    python = python_with_mpi4py()
    abi_compiler = BUILD / "mpi/mpich5/bin/mpicc_abi"
    has_abi = any(PREFIX.glob("lib*/**/libtutti-engine-abi.so")) and abi_compiler.exists()
    abi = [compiled(abi_compiler, C_PROGRAM, "c-abi")] if has_abi else None
    for library in LIBRARIES:
        if not library.is_there():
            print(f"not tested: {library.name}, whose wheel cannot be had")
            continue
        mine = dict(programs[library.family])
        left = []
        if library.folder is None:
            mine["Fortran"] = fortran[library.family]
        else:
            left.append("Fortran: its wheel has no compiler")
        if python:
            mine["mpi4py"] = [python, HERE / "sum.py"]
        else:
            left.append("mpi4py: cannot be had")
        if library.folder and (library.folder / "lib/libmpi_abi.so.1").exists() and abi:
            mine["standard ABI"] = abi
        else:
            left.append("standard ABI: the library has none")
        for name, program in mine.items():
            done = library.run(*exec_of(program))
            what = f"{name} on {library.name}"
            right = done.returncode == 0 and "right" in done.stdout and "WRONG" not in done.stdout
            check(right, f"{what} is wrong", done)
            check("circulant" in done.stderr, f"{what} is not served", done)
        print(f"{library.name}: {', '.join(mine)}", *(f"  not {each}" for each in left), sep="\n")
    print("failed" if failures else "all passed")
    return 1 if failures else 0


sys.exit(main())
