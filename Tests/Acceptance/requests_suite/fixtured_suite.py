"""A pytest plugin that points the fixture `httpbin` at a server that already runs.

It takes the place of pytest-httpbin (`-p no:httpbin`). The environment says:

    FIXTURED_SUITE_URL    base URL of the server under test
    FIXTURED_SUITE_LOG    a file that gets one line a test: outcome, phase, name

Only tests that use the fixture are kept: the others never reach the server under test. Those that
want `httpbin_secure`, a server with TLS, are left out too, since fixtured listens in plain HTTP.
"""

import os
from urllib.parse import urljoin, urlsplit

import pytest
import urllib3.filepost


class ExternalServer:
    """What tests use of pytest-httpbin's Server."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.url = url.rstrip("/")
        self.host = parts.hostname
        self.port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        self.protocol = parts.scheme

    def __str__(self):
        return self.url

    def __add__(self, path):
        return self.url + path

    def join(self, path, allow_fragments=True):
        return urljoin(self.url, path, allow_fragments=allow_fragments)


@pytest.fixture(scope="session")
def httpbin():
    return ExternalServer(os.environ["FIXTURED_SUITE_URL"])


@pytest.fixture(scope="session")
def httpbin_secure():
    pytest.skip("needs an httpbin with TLS")


@pytest.fixture(scope="class")
def class_based_httpbin(request, httpbin):
    request.cls.httpbin = httpbin


@pytest.fixture
def httpbin_ca_bundle():
    pytest.skip("needs an httpbin with TLS")


def pytest_configure(config):
    # Content is compared byte for byte, so a multipart boundary must be the same in every run.
    urllib3.filepost.choose_boundary = lambda: "boundary-of-the-acceptance-test"
    if not os.environ.get("FIXTURED_SUITE_URL"):
        raise pytest.UsageError("FIXTURED_SUITE_URL is not set")


def _replace_public_httpbin(config):
    """HTTPie sends its chunked uploads to a public httpbin, named in its conftest."""
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "HTTPBIN_WITH_CHUNKED_SUPPORT"):
            plugin.HTTPBIN_WITH_CHUNKED_SUPPORT = os.environ["FIXTURED_SUITE_URL"].rstrip("/")
            plugin.HTTPBIN_WITH_CHUNKED_SUPPORT_DOMAIN = "127.0.0.1"


def pytest_collection_modifyitems(config, items):
    _replace_public_httpbin(config)
    wanted = {"httpbin", "httpbin_with_chunked_support"}
    kept, others = [], []
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        secure = names & {"httpbin_secure", "httpbin_secure_untrusted", "httpbin_ca_bundle"}
        (kept if names & wanted and not secure else others).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=others)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        with open(os.environ["FIXTURED_SUITE_LOG"], "a", encoding="utf-8") as file:
            file.write(f"{report.outcome} {report.when} {report.nodeid}\n")
