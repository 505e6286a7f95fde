"""The recorder killed under many clients, a few times; limit_kills.py does it more often."""

import os
import pathlib
import random
import shutil
import tempfile
import unittest

from killing import Round


class Kills(unittest.TestCase):
    rounds = 9

    def test_nothing_is_lost_that_a_client_had_whole(self):
        """KILL_SEED repeats the draws of a run; the moments of a machine don't repeat."""
        seed = os.environ.get("KILL_SEED") or str(random.randrange(1 << 32))
        folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-kills-"))
        self.addCleanup(shutil.rmtree, folder)
        received = 0
        for number in range(self.rounds):
            with self.subTest(round=number, seed=seed):
                received += Round(folder, number, seed).run()
        print(f"{received:,} answers received whole in {self.rounds} rounds ... ", end="")


if __name__ == "__main__":
    unittest.main()
