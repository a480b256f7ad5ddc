#!/usr/bin/env python3
"""How much slower Tutti's choice is than the best algorithm it has, on simulated clusters.

    regret.py --build build/simgrid --tutti build/openmpi/bin/tutti --times times.csv --out regret.csv
    regret.py ... --profiles DIRECTORY

Every algorithm is forced, and Tutti is left to choose with the machine file of the platform
(share/tutti/machines). Regret is the time of the choice over the least time of all. Times of
algorithms that are in --times are not measured again: delete the file when algorithms have changed.

With --profiles it chooses by what `tutti tune` wrote there, of collectives that can be tuned; what
is missing there is tuned first. It may then choose the native collective.

An --out below the project's directory puts the goals in docs/results.md too.
"""
import argparse
import collections
import concurrent.futures
import csv
import dataclasses
import io
import json
import os
import re
import subprocess
import tempfile
import time

import files
import page
import platforms
import runner
import sweep

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MACHINES = os.path.join(ROOT, "share", "tutti", "machines")
CHOICE = "tutti"  # the contender that chooses by itself; others are called tutti=ALGORITHM
GAMMA = 5e-11     # as the machine files have it
SIZES = [8, 64, 512, 4 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20]
PERCENTILES = (50, 95, 100)
# At the median and the 95th percentile, of the model's choice and of a profile's, at most.
GOALS = {False: {50: 1.05, 95: 1.25}, True: {50: 1.02, 95: 1.10}}
# SMPI's own scans receive what all ranks before one have into memory of its own.
SCANS = ("scan", "exscan")
# These receive what all ranks have.
GATHERING = ("allgather_reduce",)
MOST_MEMORY = 6e9  # bytes of all ranks that may be spent on it
TUNED = ("bcast reduce allreduce allgather alltoall reduce_scatter_block reduce_scatter gather "
         "scatter allgatherv scan exscan").split()


def algorithms(tutti):
    """collective -> names of its algorithms, and what each requires."""
    listed = json.loads(subprocess.check_output([tutti, "algorithms", "--json"], text=True))
    found = collections.defaultdict(list)
    for each in listed:
        if "in place" not in each["requires"] and "exact" not in each["requires"]:
            found[each["collective"]].append((each["name"], each["requires"]))
    return found


def fits(requires, p):
    most = re.search(r"p at most (\d+)", requires)
    return not (most is not None and p > int(most[1]) or
                "p a power of two" in requires and p & (p - 1) != 0 or
                "p even" in requires and p % 2 != 0)


def machine_file(platform):
    return os.path.abspath(os.path.join(MACHINES, platform + ".json"))


def profile_file(directory, platform, p):
    return os.path.abspath(os.path.join(directory, f"{platform}-{p}.json"))


def chooser(arguments, platform, p):
    who = dataclasses.replace(sweep.contender(CHOICE, arguments.build),
                              environment=(("TUTTI_MACHINE", machine_file(platform)),))
    if not arguments.profiles:
        return who
    profile = profile_file(arguments.profiles, platform, p)
    return dataclasses.replace(who, environment=(*who.environment, ("TUTTI_PROFILE", profile)))


def sizes_to_tune(collective, p):
    return [n for n in SIZES if collective not in SCANS or p * p / 2 * n <= MOST_MEMORY]


def without_blocks(collective):
    return collective in ("bcast", "reduce", "allreduce", *SCANS)


def is_measured(profile, collective, p, n):
    """Whether the file has that point: blocks of a message are rounded up to equal sizes."""
    if not os.path.exists(profile):
        return False
    unit = 1 if without_blocks(collective) else p * (8 if "reduce" in collective else 1)
    with open(profile) as file:
        [run] = json.load(file)["runs"]
    points = run["collectives"].get(collective, [])
    return any(point["bytes"] == -(-n // unit) * unit for point in points)


def tune(arguments, platform_dir):
    """A profile for each platform and p; what is in there is not measured again. A size at a time:
    SimGrid looks through all sends that nobody waited for since it started whenever a message ends."""
    def one(platform, p):
        points = [(collective, n) for collective in arguments.collectives if collective in TUNED
                  for n in sizes_to_tune(collective, p)]
        profile = profile_file(arguments.profiles, platform, p)
        for collective, n in points:
            if is_measured(profile, collective, p, n):
                continue
            done = runner.simulated(
                platform_dir, platform, p,
                [os.path.join(arguments.build, "bin", "cluster_tutti"), "tune",
                 "--collectives", collective, "--bytes", str(n), "--budget", "100000s",
                 "--machine", machine_file(platform),
                 "-o", profile],
                environment={"CLUSTER_GAMMA": f"{GAMMA:g}"})
            if done.returncode != 0:
                raise SystemExit(f"tuning {collective} of {n} bytes on {platform}, p = {p}: "
                                 f"{done.stdout}{done.stderr}")
    os.makedirs(arguments.profiles, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.parallel) as pool:
        list(pool.map(lambda pair: one(*pair), [(platform, p) for p in arguments.procs
                                                for platform in arguments.platforms]))


def forced(who, collective, name):
    return dataclasses.replace(
        who, name=f"{CHOICE}={name}",
        environment=(*who.environment, ("TUTTI_FORCE", f"{collective}={name}")))


def jobs_for(arguments, options):
    known = algorithms(arguments.tutti)
    for platform in arguments.platforms:
        for p in arguments.procs:
            who = chooser(arguments, platform, p)
            for collective in arguments.collectives:
                if arguments.profiles and collective not in TUNED:
                    continue
                # The first call sets up the communicator: its size is run twice.
                sizes = (0, 0) if collective == "barrier" else (SIZES[0], *SIZES)
                yield runner.Job(platform, p, who, collective, sizes, options)
                for name, requires in known[collective]:
                    if not fits(requires, p):
                        continue
                    fit = [n for n in sizes
                           if name not in GATHERING or p * p * n <= MOST_MEMORY]
                    yield runner.Job(platform, p, forced(who, collective, name), collective,
                                     tuple(fit), options)


def without_first(rows):
    """The last row of each point."""
    return list({row.key: row for row in rows}.values())


def regrets(rows):
    """(platform, collective, p, n) -> (regret, seconds, best algorithm)"""
    points = collections.defaultdict(dict)
    for row in rows:
        if row.t_us:
            points[row.platform, row.collective, row.p, row.n][row.contender] = row.t_us
    result = {}
    for point, times in points.items():
        if CHOICE not in times:
            continue
        best = min(times, key=times.get)
        result[point] = (times[CHOICE] / times[best], times[CHOICE] * 1e-6, best)
    return result


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))]


def line(name, values):
    shown = [f"{(percentile(values, percent) - 1) * 100:9.1f}%" for percent in PERCENTILES]
    return f"{name:34}{len(values):7}" + "".join(shown)


def table(found):
    """Of the regret in percent: per platform and collective, then of each platform, then of all."""
    heading = f"{'':34}{'points':>7}{'median':>10}{'95%':>10}{'worst':>10}"
    lines = [heading]
    groups = collections.defaultdict(list)
    for (platform, collective, _, _), (regret, _, _) in found.items():
        groups[f"{platform} {collective}"].append(regret)
        groups[platform].append(regret)
    lines += [line(name, groups[name]) for name in sorted(groups)]
    lines.append(line("all", [regret for regret, _, _ in found.values()]))
    return "\n".join(lines)


def goals(found, tuned):
    """Per platform and of all, as lines of docs/results.md."""
    groups = collections.defaultdict(list)
    for (platform, _, _, _), (regret, _, _) in found.items():
        groups[platform].append(regret)
    groups["all"] = [regret for regret, _, _ in found.values()]
    return page.table(
        [f"{percent}th percentile: at most {(most - 1) * 100:.0f}% over the best",
         f"{(percentile(values, percent) - 1) * 100:.1f}%", f"{name}, {len(values)} points",
         "pass" if percentile(values, percent) <= most else "fail"]
        for name, values in groups.items() for percent, most in GOALS[tuned].items())


def to_csv(found):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["platform", "collective", "p", "n", "regret", "seconds", "best"])
    for point, (regret, seconds, best) in sorted(found.items()):
        writer.writerow([*point, f"{regret:.4f}", f"{seconds:.6g}", best.partition("=")[2] or best])
    return out.getvalue()


def worst(found, count):
    lines = []
    for point, (regret, _, best) in sorted(found.items(), key=lambda item: -item[1][0])[:count]:
        platform, collective, p, n = point
        lines.append(f"  {platform} {collective} p={p} {runner.size_name(n)}: {regret:.2f} times "
                     f"{best.partition('=')[2]}")
    return "\n".join(lines)


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    sweep.add_clusters(parser, ["eth10g", "edr", "hier16"])
    add("--tutti", default="build/openmpi/bin/tutti", help="that names the algorithms")
    add("--times", required=True, help="CSV of what algorithms take: read, and written")
    add("--profiles", help="directory of what `tutti tune` wrote: choose by these")
    add("--out", required=True, help="CSV of regrets to write")
    add("--worst", type=int, default=20, help="points to list")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    options = sweep.bench_options(check=False, gamma=GAMMA)
    measured = runner.read_csv(arguments.times) if os.path.exists(arguments.times) else []
    have = {row.key[:4] for row in measured}
    kept = list(measured)

    def keep(rows):  # as jobs end: a run that is stopped can be gone on with
        kept.extend(row for row in without_first(rows) if row.contender != CHOICE)
        runner.write_csv(arguments.times, kept)

    wanted = list(jobs_for(arguments, options))
    asked = {(job.platform, job.p, job.collective) for job in wanted}
    jobs = [job for job in wanted if job.contender.name == CHOICE or
            (job.platform, job.p, job.collective, job.contender.name) not in have]
    jobs.sort(key=lambda job: -job.p)  # the longest first
    start = time.time()
    with tempfile.TemporaryDirectory(prefix="platforms.") as directory:
        platforms.write_all(directory)
        if arguments.profiles:
            tune(arguments, directory)
        rows = runner.Runner(directory, arguments.parallel, timeout=600).run(jobs, keep)
    fresh = without_first(rows)
    chosen = [row for row in fresh if row.contender == CHOICE]
    found = regrets(chosen + [row for row in kept if row.key[:3] in asked])
    files.write_atomically(arguments.out, to_csv(found))
    failed = [row for row in fresh if row.t_us is None]
    if os.path.abspath(arguments.out).startswith(os.path.abspath(ROOT) + os.sep):
        ranks = sorted({p for _, _, p, _ in found})
        page.put("regret-tuned" if arguments.profiles else "regret",
                 f"p = {', '.join(map(str, ranks))}; `{os.path.basename(arguments.out)}` has all "
                 f"points.\n\n{goals(found, bool(arguments.profiles))}")
    print(table(found))
    print(f"\nworst:\n{worst(found, arguments.worst)}")
    print(f"\n{len(jobs)} runs, {len(failed)} points failed, {time.time() - start:.0f} s")


if __name__ == "__main__":
    runner.run_main(main)
