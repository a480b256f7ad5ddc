#!/usr/bin/env python3
"""Which runs the short campaign of `make check` makes: none of the settings is left out."""
import argparse
import unittest

import campaign

KNOWN = {"barrier": ["only"], "bcast": [f"bcast_{i}" for i in range(9)],
         "reduce": [f"reduce_{i}" for i in range(16)]}


def runs(cases):
    options = argparse.Namespace(first=None, one_setting=True, ranks=range(1, 10), cases=cases)
    return campaign.plan(options, KNOWN)


class ShortCampaign(unittest.TestCase):
    def test_as_programs_do_and_with_nothing_forced_at_every_p(self):
        made = {(run.ranks, run.force) for run in runs(4500)}
        for p in range(1, 10):
            self.assertIn((p, None), made)
            self.assertIn((p, ""), made)

    def test_every_turn_on_powers_of_two_and_on_others(self):
        for powers in (True, False):
            forces = {run.force for run in runs(4500)
                      if run.ranks > 1 and powers == (run.ranks in (2, 4, 8))}
            for turn in campaign.settings(KNOWN)[2:]:
                self.assertIn(turn, forces)
        self.assertEqual(len(campaign.settings(KNOWN)), 18)

    def test_no_two_runs_have_a_case_in_common(self):
        first = 0
        for run in runs(1501):
            self.assertEqual(run.first, first)
            first += run.cases
        self.assertEqual(first, 1501)


if __name__ == "__main__":
    unittest.main()
