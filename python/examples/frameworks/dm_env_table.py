"""dm_env: a table, held to the suite of the package."""

from absl.testing import absltest
from dm_env import test_utils

import sparrowhall
from sparrowhall.adapters.dm_env import Environment


class Table(test_utils.EnvironmentTestMixin, absltest.TestCase):
    """The tests that dm_env has for environments."""

    def make_object_under_test(self):
        """Return a table."""
        return Environment("zung_jung", seed=1, episode="hand")

    def make_action_sequence(self):
        """Return legal actions, which the mask of the last observation names."""
        for _ in range(200):
            yield sparrowhall.action_id("discard drawn")  # replaced where it is not legal


if __name__ == "__main__":
    absltest.main()
