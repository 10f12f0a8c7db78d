"""Tests leave the profiler as they found it: off, and with nothing in it."""

import gc

import pytest

from opforge import profiler
from opforge.native.threads import spans
from opforge.profiler import control


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """Give each test an idle profiler, whose files are the test's."""
    monkeypatch.chdir(tmp_path)
    _reset()
    yield
    _reset()


def _reset():
    gc.collect()  # arrays that others have left behind do not go while memory is counted
    profiler.resume()
    profiler.set_state("stop")
    control._profiler.file = None
    profiler.set_config()
    spans.clear_table()
    spans.take_records()
