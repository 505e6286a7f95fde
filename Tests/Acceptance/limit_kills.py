"""What test_kills.py does a few times, 200 times: `bash Tests/Acceptance/run.sh limit_kills`."""

import unittest

import test_kills


class Kills(test_kills.Kills):
    rounds = 200


if __name__ == "__main__":
    unittest.main()
