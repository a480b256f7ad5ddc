#!/usr/bin/env python3
"""netbench where its goals are multiples of the bound, on networks so many times as slow. Needs root.

    slownet.py                       three networks, 8 times as slow, both libraries: an hour
    slownet.py --slower 4 --networks 9x200 --libraries mpich --out /tmp/slow.csv

All hosts share the processors of this machine. Where rates are divided and delays multiplied by
--slower, these have so many times as long for the same messages: what netbench misses and this does
not is missed for want of them. Writes what netbench.py writes.
"""
import sys

import netbench
import turns

NETWORKS = "9x200,13x200,16x100"
SIZES = "128K,512K"


def main():
    parser = turns.parser_for(__doc__)
    parser.add_argument("--networks", default=NETWORKS,
                        help="hosts x Mbit/s, before they are slower, with commas between")
    parser.add_argument("--slower", type=int, default=8, help="so many times")
    turns.add_tuning(parser, "200s")
    arguments = turns.read_arguments(parser, "slower", SIZES, "2", netbench.BOUNDS)
    delay_us = netbench.DELAY_US * arguments.slower

    def slower(network):
        hosts, mbit = network.split("x")
        return f"{hosts}x{float(mbit) / arguments.slower:g}"
    places = [netbench.place(slower(each), delay_us) for each in arguments.networks.split(",")]
    rows = turns.run("slower", arguments, places)
    turns.report("slower", rows, arguments, f"Delay {delay_us} us",
                 lambda own, library: f"{netbench.networks(own)}\n"
                                      f"{turns.page.table(netbench.bounds(own))}"
                                      f"{netbench.over(own)}")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"slownet: {error}")
