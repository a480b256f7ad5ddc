"""The MPI libraries that are measured: Debian's two, and those of scripts/install-mpi."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Library:
    """`name` as for --libraries; `family` is the preset that its programs are built with; `version`
    the command that tells it; `on_hosts` makes the words of words_for_hosts()."""

    def __init__(self, name, family, version, on_hosts):
        self.name, self.family = name, family
        self.build = ROOT / "build" / family
        self.folder = ROOT / "build" / "mpi" / name   # if it is not Debian's
        self.version_words, self.on_hosts = version, on_hosts

    def is_debians(self):
        return self.name == self.family

    def is_here(self):
        return self.is_debians() or (self.folder / "complete").exists()

    def program(self, name):
        return self.build / "bin" / name

    def environment(self, more=None):
        """Of whoever starts ranks: this process's, and `more`."""
        own = {**os.environ, **AS_ROOT, "TUTTI_DEVICES": "0"}
        if not self.is_debians():
            own["PATH"] = f"{self.folder / 'bin'}:{own['PATH']}"
            own["LD_LIBRARY_PATH"] = str(self.folder / "lib")
        return {**own, **{name: str(value) for name, value in (more or {}).items()}}

    def launcher(self):
        return f"mpiexec.{self.name}" if self.is_debians() else str(self.folder / "bin" / "mpirun")

    def version(self):
        done = subprocess.run(self.version_words, capture_output=True, text=True,
                              env=self.environment())
        return " ".join(done.stdout.split("\n")[0].split())

    def words_for_hosts(self, hosts, settings):
        """The command, but for the program, that starts a rank on each of them, with settings in its
        environment."""
        names = [f"host{host}" for host in range(hosts.count)]
        return self.on_hosts(self.launcher(), hosts, names, settings)


def openmpi(launcher, hosts, names, settings, runtime="--mca", agent="rsh",
            interface="oob_tcp_if_include"):
    words = [launcher, "-H", ",".join(f"{name}:1" for name in names), "-np", str(hosts.count),
             "--map-by", "node", "--bind-to", "none"]
    for name, value in (("plm", agent), (f"plm_{agent}_agent", hosts.shell),
                        (f"plm_{agent}_no_tree_spawn", 1), (f"plm_{agent}_num_concurrent", 64),
                        (interface, "10.78.0.0/16"), ("hwloc_base_binding_policy", "none")):
        words += [runtime, name, str(value)]
    for name, value in (("btl_tcp_if_include", "d0"), ("btl", "tcp,self"), ("pml", "ob1"),
                        ("opal_event_include", "epoll")):
        words += ["--mca", name, str(value)]
    for name, value in settings.items():
        words += ["-x", f"{name}={value}"]
    return words


def openmpi5(launcher, hosts, names, settings):
    return openmpi(launcher, hosts, names, settings, "--prtemca", "ssh", "prte_if_include")


def hydra(launcher, hosts, names, settings):
    words = [launcher, "-launcher", "ssh", "-launcher-exec", str(hosts.shell), "-iface", "bridge",
             "-hosts", ",".join(names), "-np", str(hosts.count)]
    for name, value in settings.items():
        words += ["-genv", name, str(value)]
    return words


def mpich(launcher, hosts, names, settings):
    of_ucx = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "d0", "UCX_TCP_CM_REUSEADDR": "y",
              "UCX_WARN_UNUSED_ENV_VARS": "n"}
    return [*hydra(launcher, hosts, names, {**of_ucx, **settings}), "-bind-to", "none"]


def intel(launcher, hosts, names, settings):
    of_libfabric = {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "d0",
                    "I_MPI_PIN": "0"}
    return [*hydra(launcher, hosts, names, {**of_libfabric, **settings}), "-ppn", "1"]


LIBRARIES = {library.name: library for library in (
    Library("mpich", "mpich", ["mpichversion"], mpich),
    Library("openmpi", "openmpi", ["ompi_info", "--version"], openmpi),
    Library("mpich5", "mpich", ["mpichversion"], mpich),
    Library("openmpi5", "openmpi", ["ompi_info", "--version"], openmpi5),
    Library("intel", "mpich", ["mpirun", "--version"], intel))}
