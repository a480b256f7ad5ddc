#!/usr/bin/env python3
"""Tables from sweep.py's CSV files.

    summarise.py times.csv [check.csv ...] [--full]

Per platform and collective: how far the best peer, and Tutti, are from the lower bound (the larger
of the latency term and the bandwidth term), and Tutti's speed-up over the best peer. A contender
found wrong in any of the files does not count there; what died or was wrong is listed at the end.
"""
import argparse
import collections
import math

import runner

TUTTI = "tutti"


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


class Point:
    """The counting times of one (platform, collective, p, n) by contender."""

    def __init__(self):
        self.times = {}
        self.bound = 0.0

    @property
    def tutti(self):
        return self.times.get(TUTTI)

    @property
    def best_peer(self):
        """(name, time) or None"""
        peers = {name: t for name, t in self.times.items() if name != TUTTI}
        return min(peers.items(), key=lambda item: item[1]) if peers else None

    @property
    def speed_up(self):
        if not self.tutti or self.best_peer is None:  # without data there may be nothing to do
            return None
        return self.best_peer[1] / self.tutti


def collect(rows, bad):
    points = collections.defaultdict(Point)
    for row in rows:
        if runner.counts(row, bad):
            point = points[row.platform, row.collective, row.p, row.n]
            point.times[row.contender] = row.t_us
            point.bound = row.bound_us
    return points


def unique(values):
    return list(dict.fromkeys(values))


def ratio_text(values):
    values = [v for v in values if v is not None]
    return f"{geometric_mean(values):8.2f}" if values else f"{'-':>8s}"


def print_platform(platform, points):
    print(f"\n{platform}: geometric means over p and sizes; "
          "bound = larger of latency and bandwidth term")
    print(f"{'collective':21s} {'peer/bound':>10s} {'tutti/bound':>11s} {'speed-up':>8s} "
          f"{'least':>6s}  at")
    for collective in unique(key[1] for key in points if key[0] == platform):
        mine = {key: pt for key, pt in points.items() if key[:2] == (platform, collective)}
        mine = {key: pt for key, pt in mine.items() if pt.bound > 0}
        peer = [pt.best_peer[1] / pt.bound for pt in mine.values() if pt.best_peer]
        tutti = [pt.tutti / pt.bound for pt in mine.values() if pt.tutti]
        ups = {key: pt.speed_up for key, pt in mine.items() if pt.speed_up}
        least = min(ups, key=ups.get) if ups else None
        where = f"{ups[least]:6.2f}  p={least[2]} {runner.size_name(least[3])}" if least else ""
        print(f"{collective:21s}   {ratio_text(peer)}    {ratio_text(tutti)} "
              f"{ratio_text(ups.values())} {where}".rstrip())


def print_points(platform, points):
    for collective in unique(key[1] for key in points if key[0] == platform):
        print(f"\n{platform} {collective}: us")
        print(f"{'p':>5s} {'n':>6s} {'bound':>10s} {'tutti':>10s} {'best peer':>10s}  speed-up")
        for (where, what, p, n), pt in sorted(points.items()):
            if (where, what) != (platform, collective):
                continue
            tutti = f"{pt.tutti:10.1f}" if pt.tutti else f"{'-':>10s}"
            name, time = pt.best_peer or ("", None)
            peer = f"{time:10.1f}" if time else f"{'-':>10s}"
            up = f"{pt.speed_up:8.2f}" if pt.speed_up else ""
            print(f"{p:5d} {runner.size_name(n):>6s} {pt.bound:10.1f} {tutti} {peer}  {up}  {name}")


def print_failures(rows):
    failures = collections.defaultdict(list)
    for row in rows:
        if row.outcome not in ("right", "unchecked"):
            failures[row.contender, row.collective].append(row)
        elif row.too_fast:
            row.outcome = "below the bound"
            failures[row.contender, row.collective].append(row)
    print("\nDied or wrong: " + ("" if failures else "nothing"))
    for (name, collective), failed in sorted(failures.items()):
        where = [f"{r.platform} p={r.p} {runner.size_name(r.n)} {r.outcome}" for r in failed]
        more = f" and {len(where) - 4} more" if len(where) > 4 else ""
        print(f"  {name:9s} {collective:21s} {', '.join(where[:4])}{more}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", help="CSV of sweep.py")
    parser.add_argument("checks", nargs="*", help="more CSV files, of sweep.py --check")
    parser.add_argument("--full", action="store_true", help="also every p and size")
    arguments = parser.parse_args()
    rows = runner.read_csv(arguments.times)
    checked = rows + [row for path in arguments.checks for row in runner.read_csv(path)]
    points = collect(rows, runner.untrusted(checked))
    for platform in unique(key[0] for key in points):
        print_platform(platform, points)
        if arguments.full:
            print_points(platform, points)
    print_failures(checked)


if __name__ == "__main__":
    main()
