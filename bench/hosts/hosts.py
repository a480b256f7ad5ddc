"""Hosts on one machine: network namespaces, joined by hosts_switch at a given rate. Needs root.

The switch has the last processor for itself, the ranks have the others.

Host i has two cards: d0 (10.77.0.i+1), the network of the given rate, which MPI is told to use, and
c0 (10.78.0.i+1), not limited, for those who start ranks. All addresses lie in namespaces: nothing is
added to the machine's own network.
"""
import contextlib
import os
import pathlib
import subprocess
import tempfile

# Bytes that TCP hands over at once: fewer, larger packets cost less processor. Four segments of MTU.
SUPER_FRAME = 36864
MTU = 9000
# How long an idle processor of a virtual machine looks for work before it stops: one that has
# stopped takes 50 to 100 us to come back.
HALT_POLL = pathlib.Path("/sys/module/haltpoll/parameters/guest_halt_poll_ns")
HALT_POLL_NS = 1_000_000


def command(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")


class Hosts:
    """A context: the hosts are there while it lasts."""

    def __init__(self, count, mbit, delay_us, build):
        self.count, self.mbit, self.delay_us = count, mbit, delay_us
        self.bin = pathlib.Path(build) / "bin"
        *self.processors, self.processor_of_switch = sorted(os.sched_getaffinity(0))
        if not self.processors:
            raise RuntimeError("hosts take two processors, one for the switch")
        self.prefix = f"tutti{os.getpid()}h"
        self.middle = f"tutti{os.getpid()}s"   # where those are who start ranks
        self.switch = None
        self.undo = contextlib.ExitStack()

    def __enter__(self):
        try:
            self.directory = pathlib.Path(self.undo.enter_context(tempfile.TemporaryDirectory()))
            self.keep_processors_awake()
            self.make_middle()
            for host in range(self.count):
                self.make_host(host)
            self.start_switch()
            for host in range(self.count):
                self.set_up_network(host)
            self.write_shell()
        except BaseException:
            self.undo.close()
            raise
        return self

    def __exit__(self, *error):
        self.undo.close()

    def keep_processors_awake(self):
        if os.access(HALT_POLL, os.W_OK):
            self.undo.callback(HALT_POLL.write_text, HALT_POLL.read_text())
            HALT_POLL.write_text(str(HALT_POLL_NS))

    def namespace(self, name):
        command("ip", "netns", "add", name)
        self.undo.callback(command, "ip", "netns", "del", name)
        command("ip", "-n", name, "link", "set", "lo", "up")

    def make_middle(self):
        self.namespace(self.middle)
        command("ip", "-n", self.middle, "link", "add", "bridge", "type", "bridge")
        command("ip", "-n", self.middle, "addr", "add", "10.78.255.254/16", "dev", "bridge")
        command("ip", "-n", self.middle, "link", "set", "bridge", "up")

    def make_host(self, host):
        name, card = f"{self.prefix}{host}", f"c{host}"
        self.namespace(name)
        command("ip", "-n", self.middle, "link", "add", card, "type", "veth", "peer", "name", "c0",
                "netns", name)
        command("ip", "-n", self.middle, "link", "set", card, "master", "bridge", "up")
        command("ip", "-n", name, "addr", "add", f"10.78.0.{host + 1}/16", "dev", "c0")
        command("ip", "-n", name, "link", "set", "c0", "up")
        command("ip", "-n", name, "tuntap", "add", "dev", "d0", "mode", "tap", "vnet_hdr")
        command("ip", "-n", name, "link", "set", "d0", "mtu", MTU)
        # The kernel's queue holds back what the card has no room for; the switch keeps exact time.
        command("tc", "-n", name, "qdisc", "add", "dev", "d0", "root", "tbf",
                "rate", f"{self.mbit}mbit", "burst", 2 * SUPER_FRAME + 4096, "limit", "256mb")
        command("ip", "-n", name, "link", "set", "d0", "address", f"02:77:00:00:00:{host:02x}")
        command("ip", "-n", name, "link", "set", "d0", "gso_max_size", SUPER_FRAME)
        command("ip", "-n", name, "addr", "add", f"10.77.0.{host + 1}/16", "dev", "d0")

    def start_switch(self):
        self.switch = subprocess.Popen(
            list(map(str, ["taskset", "-c", self.processor_of_switch, self.bin / "hosts_switch",
                           self.prefix, self.count, self.mbit, self.delay_us])),
            stdout=subprocess.PIPE, text=True)
        self.undo.callback(self.end_switch)
        if self.switch.stdout.readline().strip() != "ready":
            raise RuntimeError("the switch between the hosts did not start")

    def end_switch(self):
        self.switch.terminate()
        self.switch.wait()

    def set_up_network(self, host):
        """A network without loss: TCP needs no slow start, no pacing (BBR) and no early repetition.

        Nor does a message wait for the next, so that both go in one frame (autocorking, which is on
        unless told otherwise): here a frame of several packets is handed over when all are through.
        """
        name = f"{self.prefix}{host}"
        command("ip", "-n", name, "link", "set", "d0", "up")
        for setting in ("tcp_congestion_control=reno", "tcp_slow_start_after_idle=0",
                        "tcp_no_metrics_save=1",
                        "tcp_rmem=4096 8388608 16777216", "tcp_wmem=4096 16384 4194304",
                        "tcp_early_retrans=0", "tcp_autocorking=0",
                        f"tcp_limit_output_bytes={2 * SUPER_FRAME}"):
            command("ip", "netns", "exec", name, "sysctl", "-qw", f"net.ipv4.{setting}")
        command("ip", "-n", name, "route", "change", "10.77.0.0/16", "dev", "d0", "proto", "kernel",
                "scope", "link", "initcwnd", 1000, "initrwnd", 1000, "rto_min", "500ms")
        for other in range(self.count):   # nobody has to ask who has an address
            if other != host:
                command("ip", "-n", name, "neigh", "replace", f"10.77.0.{other + 1}", "lladdr",
                        f"02:77:00:00:00:{other:02x}", "dev", "d0", "nud", "permanent")

    def write_shell(self):
        """What stands for ssh: [options] HOST COMMAND..."""
        processors = ",".join(map(str, self.processors))
        self.shell = self.directory / "shell"
        self.shell.write_text(f"""#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do case $1 in -p|-l|-o) shift 2;; *) shift;; esac; done
host=$1; shift
exec ip netns exec {self.prefix}${{host#host}} unshare -u \\
  sh -c 'hostname '$host'; exec taskset -c {processors} chrt -r 5 sh -c "$*"' sh "$@"
""")
        self.shell.chmod(0o755)

    def run(self, library, program, environment=None, timeout=None):
        """A rank of `program`, a list of words, on every host; returns what it prints."""
        settings = {"LD_PRELOAD": library.build / "lib" / "libhosts_idle.so", **(environment or {})}
        words = ["ip", "netns", "exec", self.middle, *library.words_for_hosts(self, settings),
                 *map(str, program)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout,
                              env=library.environment())
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, program))} on {self.count} hosts, "
                               f"{library.name}: {(done.stderr or done.stdout).strip()[-2000:]}")
        return done.stdout
