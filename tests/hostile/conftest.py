"""The worker process that makes the hostile calls."""

import sys
from pathlib import Path

import pytest

from .processes import Worker

# The conformance table, which hostile calls are derived from, is imported as `conformance`.
sys.path.append(str(Path(__file__).resolve().parents[1]))


@pytest.fixture(scope="session")
def worker():
    process = Worker()
    yield process
    process.close()
