#!/usr/bin/env python3
"""The verdicts of shmbench.py, on rows made up: each goal is met where all are fast enough, and
missed where the case that it is about is too slow in most starts.
"""
import unittest

import shmbench
import turns

STARTS = 3
BYTES = {"8": 8, "1K": 1 << 10, "64K": 64 << 10, "256K": 256 << 10, "1M": 1 << 20, "4M": 4 << 20}
BARE = [("barrier", ""), ("allreduce", "8"), ("allreduce", "256K"), ("bcast", "1M"),
        ("bcast", "4M")]


def rows_of(time_of, library):
    """Native takes 1, bare loops 0.4, Tutti time_of(case, start); the loop of a crowd 0.02."""
    cases = [(collective, size) for collective in turns.ALL_COLLECTIVES if collective != "barrier"
             for size in BYTES] + [("barrier", "")]
    rows = [{"library": library, "place": "2 ranks", "p": "2", "collective": collective,
             "asked": str(BYTES.get(size, 8)), "tutti_us": str(time_of((collective, size), start)),
             "native_us": "1", "bare_us": "0.4" if (collective, size) in BARE else ""}
            for collective, size in cases for start in range(STARTS)]
    return rows + [{"library": library, "place": f"{p} ranks", "p": str(p), "native_us": "1",
                    "collective": shmbench.LOOP, "asked": "",
                    "tutti_us": str(time_of((shmbench.LOOP, str(p)), start) / 20)}
                   for p in shmbench.CROWDS for start in range(STARTS)
                   if library in shmbench.LEAST_OF_CROWD]


def missed(time_of, library="mpich"):
    lines = shmbench.goals(rows_of(time_of, library), library)
    return [line[0] for line in lines if line[-1] != "yes"]


def slow(case, time, starts):
    """All take 0.4 but one case, in that many starts."""
    return lambda each, start: time if each == case and start < starts else 0.4


class Verdicts(unittest.TestCase):
    def test_all_are_met(self):
        for library in ("mpich", "openmpi", "mpich5"):
            self.assertEqual(missed(lambda *_: 0.4, library), [])

    def test_one_slow_start_is_forgiven(self):
        self.assertEqual(missed(slow(("barrier", ""), 0.9, 1)), [])

    def test_a_slow_case_is_not(self):
        for case, time, goals in ((("barrier", ""), 0.51, ["barrier, over native",
                                                           "barrier, over bare loops"]),
                                  (("bcast", "1M"), 0.47, ["bcast of 1M, over bare loops"]),
                                  (("allreduce", "1K"), 0.61, ["allreduce of 1K, over native"]),
                                  (("scan", "4M"), 0.7, ["scan of 64K, 256K, 1M, 4M, over native"]),
                                  (("gather", "8"), 1.04, ["all cases, none below"])):
            self.assertEqual(missed(slow(case, time, 2)), goals)

    def test_a_slow_mean_is_not(self):
        [goal] = missed(lambda *_: 0.9, "mpich5")
        self.assertIn("geometric mean", goal)

    def test_a_slow_crowd_is_not(self):
        [goal] = missed(slow((shmbench.LOOP, "8"), 1.1, 2))
        self.assertIn("8 ranks", goal)

    def test_the_worst_is_named(self):
        lines = shmbench.goals(rows_of(slow(("reduce", "1M"), 0.7, 3), "openmpi"), "openmpi")
        [line] = [each for each in lines if each[0].startswith("reduce of")]
        self.assertEqual(line[1:], ["at most 0.6", "0.70", "0.70 to 0.70", "reduce of 1M", "no"])


if __name__ == "__main__":
    unittest.main()
