"""Runs cluster_bench under smpirun: one process per job, several jobs at once.

A job is one collective at several sizes on one platform, for one p and one contender. A size at
which the process dies, dead-locks or takes too long becomes a row saying so, and the job goes on
with the next size: nothing is hidden, and nothing else is lost.
"""
import concurrent.futures
import csv
import dataclasses
import heapq
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import files
from platforms import PLATFORMS

SPARSE = {"gatherv", "scatterv", "alltoallv"}  # some of their blocks are empty, if n is small


@dataclasses.dataclass(frozen=True)
class Contender:
    """Whose collectives are measured, and how to run them."""
    name: str
    program: str
    selector: str = "default"   # of SMPI's own collectives
    privatization: str = "no"   # "dlopen" where a library keeps state of its own
    settings: tuple = ()        # more --cfg= settings
    environment: tuple = ()     # (name, value) pairs


@dataclasses.dataclass(frozen=True)
class Job:
    platform: str
    p: int
    contender: Contender
    collective: str   # as cluster_bench names it
    sizes: tuple      # n in bytes
    options: tuple    # --check or --dry, and others
    report_as: str = ""  # collective to enter in the rows; default: the same


@dataclasses.dataclass
class Row:
    """One result. Times are in microseconds of simulated time, wall_s in seconds."""
    platform: str
    contender: str
    collective: str
    p: int
    n: int
    t_us: float | None
    t_first_us: float | None
    bound_latency_us: float    # optimal tree of empty messages: a sender is free again after os
    bound_bandwidth_us: float | None
    wall_s: float | None
    outcome: str               # right, unchecked, wrong:COUNT, crash, deadlock, timeout

    @property
    def key(self):
        return self.platform, self.p, self.collective, self.contender, self.n

    @property
    def bound_us(self):
        """A lower bound on flat platforms. Elsewhere neighbours are nearer than it assumes, and it
        is only a yardstick."""
        return max(self.bound_latency_us, self.bound_bandwidth_us or 0.0)

    @property
    def too_fast(self):
        """Faster than possible: no answer, whatever else it is. Nobody waits for an empty block."""
        bound = self.bound_bandwidth_us or 0.0 if self.collective in SPARSE else self.bound_us
        return (self.t_us is not None and PLATFORMS[self.platform].flat
                and self.t_us < 0.99 * bound)


def latency_bound(p, link):
    """Seconds until an empty message can have reached p ranks from one (LogP-optimal tree)."""
    free = [0.0]  # when each informed rank can start its next message
    last = 0.0
    for _ in range(p - 1):
        start = heapq.heappop(free)
        last = start + link.alpha
        heapq.heappush(free, start + link.overhead)
        heapq.heappush(free, last)
    return last


def room_for_copies(p):
    """Every rank's copy of a program needs a little of what the loader sets aside for threads."""
    return {"GLIBC_TUNABLES": f"glibc.rtld.optional_static_tls={8192 * p}"}


def smpirun(platform_dir, platform, p, privatization, program):
    """The words that start p ranks; the program, beside which cluster_platform.so is, follows."""
    return ["env", "CLUSTER_PLATFORM=" + os.path.join(platform_dir, PLATFORMS[platform].xml),
            "smpirun", "-np", str(p),
            "-platform", os.path.join(os.path.dirname(os.path.abspath(program)),
                                      "cluster_platform.so"),
            "-hostfile", os.path.join(platform_dir, PLATFORMS[platform].hosts),
            "--log=root.thres:critical", f"--cfg=smpi/privatization:{privatization}"]


def simulated(platform_dir, platform, p, words, timeout=None, environment=None):
    """A program that keeps state of its own, such as tutti, run to its end; its files have no date."""
    return subprocess.run(
        [*smpirun(platform_dir, platform, p, "dlopen", words[0]), *words],
        capture_output=True, text=True, timeout=timeout,
        env={**os.environ, "SOURCE_DATE_EPOCH": "0", **room_for_copies(p), **(environment or {})})


class Runner:
    """Runs jobs; platform files are looked for in `platform_dir`."""

    def __init__(self, platform_dir, parallel=2, timeout=90.0):
        self.platform_dir = os.path.abspath(platform_dir)
        self.parallel = parallel
        self.timeout = timeout
        self.live = set()
        self.lock = threading.Lock()
        self.stopping = False

    def run(self, jobs, on_rows=lambda rows: None):
        """All rows, in the order of the jobs. on_rows is called as each job ends."""
        progress = Progress(len(jobs))
        results = {}
        with concurrent.futures.ThreadPoolExecutor(self.parallel) as pool:
            futures = {pool.submit(self.run_job, job): i for i, job in enumerate(jobs)}
            try:
                for future in concurrent.futures.as_completed(futures):
                    results[futures[future]] = future.result()
                    on_rows(future.result())
                    progress.step(jobs[futures[future]])
            except BaseException:
                self.stop(futures)
                raise
            finally:
                progress.close()
        return [row for i in range(len(jobs)) for row in results[i]]

    def stop(self, futures):
        self.stopping = True
        for future in futures:
            future.cancel()
        with self.lock:
            for process in self.live:
                kill_group(process)

    def run_job(self, job):
        rows, sizes = [], list(job.sizes)
        while sizes and not self.stopping:
            output, failure = self.run_process(job, sizes)
            good = [parse_row(job, line) for line in output.splitlines() if line.startswith("ROW,")]
            rows += good
            if len(good) >= len(sizes):
                break
            rows.append(failed_row(job, sizes[len(good)], failure))
            sizes = sizes[len(good) + 1:]
            if failure == "timeout":  # larger sizes would not end either
                rows += [failed_row(job, n, failure) for n in sizes]
                break
        return rows

    def run_process(self, job, sizes):
        """(standard output, how it failed if it did)"""
        with tempfile.TemporaryDirectory(prefix="cluster_bench.") as work:
            process = subprocess.Popen(
                self.command(job, sizes), cwd=work, text=True, start_new_session=True,
                env={**os.environ, **dict(job.contender.environment), **self.room(job)},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            with self.lock:
                self.live.add(process)
            try:
                output, errors = process.communicate(timeout=self.timeout)
            except subprocess.TimeoutExpired:
                kill_group(process)
                return process.communicate()[0], "timeout"
            finally:
                with self.lock:
                    self.live.discard(process)
        if "cluster_bench: usage:" in errors:  # our mistake, no contender's result
            raise SystemExit(errors.strip())
        return output, "deadlock" if "eadlock" in errors else "crash"

    @staticmethod
    def room(job):
        return room_for_copies(job.p) if job.contender.privatization == "dlopen" else {}

    def command(self, job, sizes):
        contender = job.contender
        return [*smpirun(self.platform_dir, job.platform, job.p, contender.privatization,
                         contender.program),
                f"--cfg=smpi/coll-selector:{contender.selector}",
                *[f"--cfg={setting}" for setting in contender.settings],
                os.path.abspath(contender.program), f"--collectives={job.collective}",
                "--sizes=" + ",".join(map(str, sizes)), *job.options]


def run_main(main):
    """Runs a main function; however it is interrupted, no simulation or temporary file stays."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\ninterrupted: results are incomplete and were not written")


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def parse_row(job, line):
    _, _, p, n, t_us, t_first_us, bound_bytes, wall_s, wrong = line.split(",")
    link = PLATFORMS[job.platform].link
    outcome = {"": "unchecked", "0": "right"}.get(wrong, f"wrong:{wrong}")
    return Row(job.platform, job.contender.name, job.report_as or job.collective, int(p), int(n),
               float(t_us), float(t_first_us), latency_bound(int(p), link) * 1e6,
               float(bound_bytes) * link.beta * 1e6, float(wall_s), outcome)


def failed_row(job, n, outcome):
    bound = latency_bound(job.p, PLATFORMS[job.platform].link) * 1e6
    return Row(job.platform, job.contender.name, job.report_as or job.collective, job.p, n, None,
               None, bound, None, None, outcome)


class Progress:
    """A line on a terminal: jobs done, and the time the rest will take at the same pace."""

    def __init__(self, total, stream=sys.stderr):
        self.total, self.done, self.start = total, 0, time.time()
        self.stream = stream if stream.isatty() else None

    def step(self, job):
        self.done += 1
        if not self.stream:
            return
        left = (time.time() - self.start) / self.done * (self.total - self.done)
        self.stream.write(f"\r\033[K{self.done}/{self.total} jobs, about {left:.0f} s left "
                          f"({job.platform} p={job.p} {job.collective} {job.contender.name})")
        self.stream.flush()

    def close(self):
        if self.stream:
            self.stream.write("\r\033[K")
            self.stream.flush()


COLUMNS = [field.name for field in dataclasses.fields(Row)]


def to_csv(rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        cells = [getattr(row, column) for column in COLUMNS]
        writer.writerow([f"{c:.4f}" if isinstance(c, float) else "" if c is None else c
                         for c in cells])
    return out.getvalue()


def write_csv(path, rows):
    files.write_atomically(path, to_csv(rows))


def read_csv(path):
    def number(text):
        return float(text) if text else None
    with open(path, newline="", encoding="utf-8") as source:
        reader = csv.DictReader(source)
        if reader.fieldnames != COLUMNS:
            raise SystemExit(f"{path}: not written by sweep.py (columns should be "
                             f"{','.join(COLUMNS)})")
        return [Row(r["platform"], r["contender"], r["collective"], int(r["p"]), int(r["n"]),
                    number(r["t_us"]), number(r["t_first_us"]), float(r["bound_latency_us"]),
                    number(r["bound_bandwidth_us"]), number(r["wall_s"]), r["outcome"])
                for r in reader]


def untrusted(rows):
    """(platform, contender, collective, p) which answered wrongly at some size: none of its times
    there count. The same if it was faster than possible."""
    return {(r.platform, r.contender, r.collective, r.p) for r in rows
            if r.outcome.startswith("wrong") or r.too_fast}


def counts(row, bad):
    return row.t_us is not None and (row.platform, row.contender, row.collective, row.p) not in bad


def size_name(n):
    """8, 1K, 64K, 1M: bytes with binary suffixes."""
    for suffix, unit in (("M", 1 << 20), ("K", 1 << 10)):
        if n >= unit and n % unit == 0:
            return f"{n // unit}{suffix}"
    return str(n)


def parse_size(text):
    units = {"K": 1 << 10, "M": 1 << 20}
    digits, factor = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1)
    if not digits.isdigit():
        raise ValueError(f"'{text}' is not a size: bytes, or with K or M (1024, 1024^2)")
    return int(digits) * factor
