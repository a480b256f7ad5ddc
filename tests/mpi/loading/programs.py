"""Small programs, compiled and run by the tests of this folder."""
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT_SECONDS = 120


class Library:
    """An MPI library with its compilers and launcher, and Tutti's build for it."""

    def __init__(self, name, build):
        self.name = name
        self.build = build
        self.stub = os.path.join(build, "lib/libtutti.so")
        self.engine = os.path.join(build, f"lib/libtutti-engine-{name}.so")
        self.command = os.path.join(build, "bin/tutti")
        self.folder = tempfile.mkdtemp()

    def compiled(self, source, *options, compiler="mpicc", output=None):
        """The program made from a file of this folder."""
        name = output or os.path.splitext(source)[0]
        path = os.path.join(self.folder, name)
        subprocess.run([f"{compiler}.{self.name}", "-w", "-g", os.path.join(HERE, source), "-o",
                        path, *options], check=True, cwd=self.folder)
        return path

    def run(self, ranks, *program, preload=None, cwd=None, **environment):
        """Runs ranks of a program with `preload` (default: Tutti) in front; "" preloads nothing."""
        preloads = [self.stub if preload is None else preload]
        if self.name == "mpich":
            if ranks > 1:  # MPICH busy-waits and has to be made to yield
                preloads.append(os.path.join(self.build, "lib/libucpyield.so"))
            start = ["mpirun.mpich", "-n", str(ranks)]
        else:
            start = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n",
                     str(ranks)]
        preloads = [each for each in preloads if each]
        setting = ["LD_PRELOAD=" + " ".join(preloads)] if preloads else []
        variables = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                         OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", UCPYIELD_SLEEP="50",
                         **{"TUTTI_NATIVE_FIRST": "0", **environment})
        return subprocess.run([*start, "env", *setting, *program], env=variables,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT_SECONDS, check=False, cwd=cwd)


class Checks:
    def __init__(self):
        self.failed = 0

    def check(self, condition, what, done=None):
        if condition:
            return
        self.failed += 1
        print("FAILED:", what)
        if done is not None:
            print(done.stdout[-3000:], done.stderr[-3000:], sep="\n")

    def status(self):
        print("failed" if self.failed else "all passed")
        return 1 if self.failed else 0
