import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Tutti(CMakePackage):
    """Serves the collectives of MPI programs that nobody recompiles, with better algorithms where
    the MPI library's own are slower, and the library's where they are not."""

    # scripts/package makes the archive: install it from the folder where that lies.
    url = f"file://{os.getcwd()}/tutti-0.1.0.tar.gz"
    manual_download = True

    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("cli11@2.2:", type="build")
    depends_on("mpi")

    conflicts("%gcc@:10", msg="needs C++20: GCC 11 or newer")
    conflicts("%clang@:13", msg="needs C++20: Clang 14 or newer")

    def cmake_args(self):
        # Each library of MPICH's family is served by the same engine.
        family = "openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpich"
        return [
            self.define("TUTTI_MPI", family),
            self.define("MPI_HOME", self.spec["mpi"].prefix),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_installation(self):
        tutti = Executable(self.prefix.bin.tutti)
        tutti("verify", "allreduce", "--ranks", "1:8")
