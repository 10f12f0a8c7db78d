"""Waiting for the threads of loaders, whose last batches would seem to outlive a test."""

import gc
import threading

import pytest


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith("opforge-loader"):
            thread.join(60)
            assert not thread.is_alive(), thread.name
