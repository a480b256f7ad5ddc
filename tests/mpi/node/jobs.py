"""Jobs of the tests of this folder."""
import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import preloaded  # noqa: E402

FORCE = "allreduce=recursive_doubling,bcast=binomial,barrier=dissemination"

Done = collections.namedtuple("Done", "status output")
NO_END = "no end"


def start(command, **settings):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_hwloc_base_binding_policy="none", UCPYIELD_SLEEP="50", **settings)
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def end(job, limit_seconds):
    """How a job ended; one that does not in time is ended."""
    try:
        output, _ = job.communicate(timeout=limit_seconds)
        return Done(job.returncode, output)
    except subprocess.TimeoutExpired:
        job.terminate()  # which launchers pass on to the ranks
        output, _ = job.communicate()
        return Done(NO_END, output)


def parser():
    return preloaded.launch_parser()


def command(options, program):
    """Of the launcher, with the program in the last place and Tutti preloaded."""
    options.program, options.also = program, None
    return preloaded.command(options, options.tutti)
