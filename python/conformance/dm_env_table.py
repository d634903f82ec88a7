"""dm_env: its test of environments, and many ends."""

from __future__ import annotations

import unittest

from absl.testing import absltest
from common import ENDS, check, legal
from dm_env import test_utils

import sparrowhall
from sparrowhall.adapters.dm_env import Environment


def tested(ruleset: str) -> None:
    """Hold a table to the tests that dm_env has."""

    class Table(test_utils.EnvironmentTestMixin, absltest.TestCase):
        def make_object_under_test(self) -> Environment:
            return Environment(ruleset, seed=1, episode="hand")

        def make_action_sequence(self) -> list[int]:
            return [sparrowhall.action_id("discard drawn")] * 200  # replaced where not legal

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Table)
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    assert result.wasSuccessful()
    assert result.testsRun > 1


def played(ruleset: str) -> int:
    """Play by random legal actions."""
    env = Environment(ruleset, seed=1, episode="hand")
    for _ in range(ENDS):
        step = env.reset()
        while not step.last():
            step = env.step(int(legal(step.observation["action_mask"])))
    env.close()
    return ENDS


if __name__ == "__main__":
    check("dm-env", "EnvironmentTestMixin", tested)
    check("dm-env", "random play", played)
