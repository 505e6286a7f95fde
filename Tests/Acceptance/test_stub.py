"""The stub under load: every answer comes, to who asked for it, and nothing stays behind."""

import os
import subprocess
import unittest


class Stub(unittest.TestCase):
    def run_peer(self, *arguments):
        done = subprocess.run([os.environ["STUB_PEER"], *arguments], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_sessions_in_parallel_get_their_own_answers(self):
        self.run_peer("parallel", "20")

    def test_ten_thousand_delayed_answers_come(self):
        self.run_peer("delayed", "20")

    def test_each_cancelled_task_ends_once(self):
        self.run_peer("cancelled")

    def test_tasks_may_be_cancelled_as_their_answer_comes(self):
        self.run_peer("stormed")

    def test_a_request_costs_little_more_than_a_bare_protocol(self):
        self.run_peer("cost")


if __name__ == "__main__":
    unittest.main()
