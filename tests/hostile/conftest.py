"""The worker process that makes the hostile calls."""

import pytest

from .processes import Worker


@pytest.fixture(scope="session")
def worker():
    process = Worker()
    yield process
    process.close()
