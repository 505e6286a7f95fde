"""The package in Tests/Example, which depends on the products by path as an app's tests do."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent / "Example"


class Example(unittest.TestCase):
    """One build for all of them: it compiles the products once more."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fixtured-example-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        built = cls.swift("build", "--build-tests")
        assert built.returncode == 0, built.stdout

    @classmethod
    def swift(cls, *arguments, **environment):
        environment = {**os.environ, "CI": "", **environment}
        return subprocess.run(
            ["swift", *arguments, "--package-path", str(EXAMPLE),
             "--scratch-path", str(cls.folder / "build")],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=900)

    def run_tests(self, *arguments, **environment):
        return self.swift("test", "--skip-build", *arguments, **environment)

    def test_its_tests_pass(self):
        run = self.run_tests("--skip", "FailingTests")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertRegex(run.stdout, r"Test run with \d+ tests in \d+ suites? passed")
        self.assertRegex(run.stdout, r"Executed [1-9]\d* tests, with 0 failures")

    def test_what_must_fail_says_why_where_and_how_to_get_it_again(self):
        artifacts = self.folder / "artifacts"
        run = self.run_tests("--filter", "FailingTests", FIXTURED_ARTIFACTS=str(artifacts))
        self.assertNotEqual(run.returncode, 0)
        source = EXAMPLE / "Tests/FailingTests/FailingTests.swift"
        for test, words in {
            "aMiss": [r"GET /feed\?page=2 is not in the cassette", "interaction 1 GET /feed, query"],
            "unused": ["no request used interaction 2 GET /old of the inline cassette"],
            "noCassette": ['there is no cassette "nowhere"'],
            "noScenario": ['line 1, column 12: found "perhaps"'],
        }.items():
            line = self.line(source, f"func {test}(")
            self.assertRegex(
                run.stdout, rf"✘ Test {test}\(\) recorded an issue at FailingTests.swift:{line}:")
            for word in words:
                self.assertRegex(run.stdout, word)
        line = self.line(source, "func aStraggler(")
        self.assertRegex(run.stdout, rf"recorded an issue at FailingTests.swift:{line}:.*over, "
                         r"FailingTests.FailingTests/aStraggler\(\): GET http://feed.example/late")
        self.assertNotIn("the test ran", run.stdout)
        self.check_xctest(run.stdout)
        self.check_artifacts(artifacts)

    def check_xctest(self, output):
        source = EXAMPLE / "Tests/FailingTests/FailingXCTests.swift"
        miss = self.line(source, "testAMiss") + 1
        self.assertRegex(output, rf"{source.name}:{miss}: error: FailingXCTests.testAMiss : .*"
                         r"GET /feed\?page=2 is not in the cassette")
        missing = self.line(source, "testNoCassette") + 1
        self.assertRegex(output, rf"{source.name}:{missing}: error: FailingXCTests.testNoCassette")
        late = self.line(source, "testAStraggler") + 1
        self.assertRegex(output, rf"{source.name}:{late}: error: FailingXCTests.testTheNextOne : .*"
                         "came after its test was over, FailingTests.FailingXCTests/testAStraggler")

    def check_artifacts(self, folder):
        reports = {path.name: path.read_text() for path in folder.iterdir()}
        self.assertEqual(set(reports), {
            "FailingTests.FailingTests-aMiss--.txt", "FailingTests.FailingTests-unused--.txt",
            "FailingTests.FailingTests-anExpectation--.txt",
            "FailingTests.FailingTests-anError--.txt",
            "FailingTests.FailingXCTests-testAMiss.txt",
            "FailingTests.FailingXCTests-testTheNextOne.txt"})
        report = reports["FailingTests.FailingTests-anExpectation--.txt"]
        self.assertIn("seed 42", report)
        self.assertIn("1 GET http://feed.example/feed: 503, completed", report)
        again = re.search(r"reproduce it with: swift test --filter '(.*)'", report).group(1)
        run = self.run_tests("--filter", again)
        self.assertIn("Test run with 1 test", run.stdout)
        self.assertNotEqual(run.returncode, 0)

    @staticmethod
    def line(path, text):
        """Where a test is declared: for Swift Testing its attribute counts."""
        lines = path.read_text().splitlines()
        at = next(index for index, line in enumerate(lines) if text in line)
        if "@Test" not in lines[at] and "@Test" in lines[at - 1]:
            at -= 1
        return at + 1


if __name__ == "__main__":
    unittest.main()
