#!/usr/bin/env python3
"""Simulated clusters: writes SimGrid 3.32 platform and host files, and knows their parameters.
The platform files are loaded by cluster_platform.so (platform.cpp), which sees to `each_message`.

    platforms.py DIRECTORY        # writes every platform there

Cost of a message of n bytes on every platform (plain alpha-beta links, one port in effect):
    eager (n below the threshold)  os + L + (n+16)/bandwidth + or; the sender is free after os
    rendezvous                     alpha + (n+16)/bandwidth from when both sides are there
    where alpha = os + L + or; links are full duplex; flows into or out of a host share its link
There is no memory-copy cost, no cross traffic and no TCP window. MPI_Test and MPI_Iprobe cost
0.1 us. Times are in seconds, sizes in bytes, bandwidths in bytes per second.
"""
import dataclasses
import os
import random
import sys

import files

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""
TAIL = "</platform>\n"
FLAT_HOSTS = 4096
NODES, RANKS_PER_NODE = 64, 16
LEAVES, HOSTS_PER_LEAF = 16, 16
MYRINET_LEAVES = 4  # of as many hosts


@dataclasses.dataclass(frozen=True)
class Link:
    """What one message between two nodes costs."""
    overhead: float     # os at the sender, and or at the receiver
    latency: float      # L, on the wire
    bandwidth: float
    eager: int          # messages below this many bytes do not wait for their receiver

    @property
    def alpha(self):
        return 2 * self.overhead + self.latency

    @property
    def beta(self):
        return 1 / self.bandwidth


@dataclasses.dataclass(frozen=True)
class Platform:
    name: str
    xml: str            # file names inside the directory written by write_all
    hosts: str
    link: Link          # between nodes that are farthest apart
    about: str
    flat: bool = False  # every pair of ranks costs the same, so runner's bounds are bounds


ETH10G = Link(overhead=4e-6, latency=12e-6, bandwidth=1.25e9, eager=65536)
MYRINET = Link(overhead=1e-6, latency=8e-6, bandwidth=0.25e9, eager=16384)
MYRINET_FAR = dataclasses.replace(MYRINET, latency=16e-6)  # four hops
EDR = Link(overhead=0.25e-6, latency=1e-6, bandwidth=12.5e9, eager=16384)

PLATFORMS = {p.name: p for p in (
    Platform("eth10g", "eth10g.xml", "hosts_flat", ETH10G,
             "flat 10 Gbit/s Ethernet, one rank per node", flat=True),
    Platform("edr", "edr.xml", "hosts_flat", EDR,
             "flat 100 Gbit/s EDR, one rank per node", flat=True),
    Platform("hier16", "hier16.xml", "hosts_hier16_block", EDR,
             "64 nodes of 16 ranks sharing one EDR port, ranks placed node by node"),
    Platform("hier16-cyclic", "hier16.xml", "hosts_hier16_cyclic", EDR,
             "the same, ranks dealt round robin over 64 nodes"),
    Platform("hier16-cyclic4", "hier16.xml", "hosts_hier16_cyclic4", EDR,
             "the same, ranks dealt round robin over 4 nodes"),
    Platform("fattree", "fattree.xml", "hosts_fattree", EDR,
             "two-level fat tree, 16 leaves of 16 hosts with 8 up-links each (2:1 taper)"),
    Platform("myrinet", "myrinet.xml", "hosts_flat", MYRINET,
             "flat, alpha 10 us and 250 MB/s, as the cluster of Thakur2005", flat=True),
    Platform("myrinet-full", "myrinet-full.xml", "hosts_myrinet", MYRINET_FAR,
             "the same links in a fat tree, 4 leaves of 16 hosts with 16 up-links each"),
    Platform("myrinet-full-random", "myrinet-full.xml", "hosts_myrinet_random", MYRINET_FAR,
             "the same, ranks placed at random"),
    Platform("myrinet-tapered", "myrinet-tapered.xml", "hosts_myrinet", MYRINET_FAR,
             "the same with 8 up-links for 16 hosts (2:1 taper)"),
)}


def config(link):
    """SMPI settings of a platform. 16 bytes of header travel with every message, hence eager+15."""
    o, eager = link.overhead, link.eager
    settings = {
        "network/model": "SMPI",
        "network/crosstraffic": "0",
        "network/weight-S": "0",
        "network/TCP-gamma": "1e30",
        "smpi/bw-factor": "0:1.0",
        "smpi/lat-factor": f"0:1.0;{eager + 15}:{link.alpha / link.latency:.6g}",
        "smpi/os": f"0:{o:g}:0;{eager - 1}:{o:g}:0",
        "smpi/ois": f"0:{o:g}:0",
        "smpi/or": f"0:{o:g}:0",
        "smpi/async-small-thresh": f"{eager}",
        "smpi/send-is-detached-thresh": f"{eager}",
        "smpi/simulate-computation": "no",
        "smpi/wtime": "0",
        "smpi/test": "1e-7",
        "smpi/iprobe": "1e-7",
        "smpi/grow-injected-times": "no",
        "surf/precision": "1e-11",
        "contexts/stack-size": "256",
    }
    props = "".join(f'    <prop id="{key}" value="{value}"/>\n' for key, value in settings.items())
    return f"  <config>\n{props}  </config>\n"


def cluster(hosts, bandwidth, hop_latency, loopback_latency, more=""):
    return (f'  <cluster id="c" prefix="n" suffix="" radical="0-{hosts - 1}" speed="10Gf"'
            f' core="1"\n   bw="{bandwidth}" lat="{hop_latency}" sharing_policy="SPLITDUPLEX"\n'
            f'   loopback_bw="10GBps" loopback_lat="{loopback_latency}"{more}/>\n')


def nodes_with_one_port():
    """Inside a node a message gets at most 10 GB/s (one core's copy speed) and all together at most
    80 GB/s (memory), latency 0.2 us; os and or are paid there too, so alpha inside is 0.7 us."""
    lines = ['  <zone id="c" routing="Cluster">\n']
    for i in range(NODES):
        lines.append(f'    <host id="n{i}" speed="10Gf" core="{RANKS_PER_NODE}"/>\n'
                     f'    <link id="nic{i}" bandwidth="12.5GBps" latency="0.5us"'
                     ' sharing_policy="SPLITDUPLEX"/>\n'
                     f'    <link id="memory{i}" bandwidth="80GBps" latency="0.2us">'
                     '<prop id="each_message" value="10e9"/></link>\n')
    for i in range(NODES):
        lines.append(f'    <host_link id="n{i}" up="nic{i}_UP" down="nic{i}_DOWN"/>\n')
    for i in range(NODES):
        lines.append(f'    <route src="n{i}" dst="n{i}" symmetrical="NO">'
                     f'<link_ctn id="memory{i}"/></route>\n')
    return "".join(lines) + "  </zone>\n"


def platform_texts():
    """File name -> contents of every platform file."""
    tapered = (f' topology="FAT_TREE"\n   topo_parameters="2;{HOSTS_PER_LEAF},{LEAVES};'
               f'1,{HOSTS_PER_LEAF // 2};1,1"')
    fat_tree = cluster(LEAVES * HOSTS_PER_LEAF, "12.5GBps", "0.25us", "0.1us", tapered)
    def myrinet_tree(up_links):
        return cluster(MYRINET_LEAVES * HOSTS_PER_LEAF, "250MBps", "4us", "0.5us",
                       f' topology="FAT_TREE"\n   topo_parameters="2;{HOSTS_PER_LEAF},'
                       f'{MYRINET_LEAVES};1,{up_links};1,1"')
    bodies = {
        "eth10g.xml": config(ETH10G) + cluster(FLAT_HOSTS, "1.25GBps", "6us", "0.5us"),
        "edr.xml": config(EDR) + cluster(FLAT_HOSTS, "12.5GBps", "0.5us", "0.1us"),
        "hier16.xml": config(EDR) + nodes_with_one_port(),
        "fattree.xml": config(EDR) + fat_tree,
        "myrinet.xml": config(MYRINET) + cluster(FLAT_HOSTS, "250MBps", "4us", "0.5us"),
        "myrinet-full.xml": config(MYRINET) + myrinet_tree(HOSTS_PER_LEAF),
        "myrinet-tapered.xml": config(MYRINET) + myrinet_tree(HOSTS_PER_LEAF // 2),
    }
    return {name: HEAD + body + TAIL for name, body in bodies.items()}


def host_lists():
    """File name -> the node each rank is placed on, in order of ranks."""
    return {
        "hosts_flat": range(FLAT_HOSTS),
        "hosts_hier16_block": [n for n in range(NODES) for _ in range(RANKS_PER_NODE)],
        "hosts_hier16_cyclic": [n for _ in range(RANKS_PER_NODE) for n in range(NODES)],
        "hosts_hier16_cyclic4": [n for _ in range(RANKS_PER_NODE) for n in range(4)],
        "hosts_myrinet": range(MYRINET_LEAVES * HOSTS_PER_LEAF),
        "hosts_myrinet_random": random.Random(1).sample(
            range(MYRINET_LEAVES * HOSTS_PER_LEAF), MYRINET_LEAVES * HOSTS_PER_LEAF),
        "hosts_fattree": range(LEAVES * HOSTS_PER_LEAF),
    }


def write_all(directory):
    os.makedirs(directory, exist_ok=True)
    for name, text in platform_texts().items():
        files.write_atomically(os.path.join(directory, name), text)
    for name, nodes in host_lists().items():
        files.write_atomically(os.path.join(directory, name), "".join(f"n{i}\n" for i in nodes))


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: platforms.py DIRECTORY")
    write_all(sys.argv[1])
