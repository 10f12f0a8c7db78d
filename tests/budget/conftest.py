"""Counters of the cost of a call that noise cannot affect."""

import ctypes
import gc
import itertools
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("allocation_counter.c")
#: Number of calls to average over; rare work, such as growing a dictionary, rounds to 0.
CALLS = 200
WARM_UP = 50


def _repeat(run, times):
    for _ in itertools.repeat(None, times):
        run()


@pytest.fixture(scope="session")
def allocation_hook(c_compiler, tmp_path_factory):
    """Return the compiled hook."""
    library = tmp_path_factory.mktemp("hook") / "allocation_counter.so"
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run([*c_compiler, "-shared", "-fPIC", include, SOURCE, "-o", library], check=True)
    hook = ctypes.PyDLL(str(library))
    hook.stop.restype = ctypes.c_size_t
    return hook


@pytest.fixture
def allocations(allocation_hook):
    """Return a function that counts Python's allocations in one call of another function."""

    def count(run):
        _repeat(run, WARM_UP)
        gc.disable()
        try:
            allocation_hook.start()
            _repeat(run, CALLS)
            return allocation_hook.stop() / CALLS
        finally:
            gc.enable()

    return count


@pytest.fixture
def python_calls():
    """Return a function that counts the Python functions that one call of another enters."""

    def count(run):
        _repeat(run, WARM_UP)
        entered = 0

        def profile(frame, event, argument):
            nonlocal entered
            entered += event == "call"

        gc.disable()  # libraries such as hypothesis have callbacks in Python
        sys.setprofile(profile)
        try:
            _repeat(run, CALLS)
        finally:
            sys.setprofile(None)
            gc.enable()
        return (entered - 1) / CALLS - 1  # except for _repeat, and `run` itself

    return count


@pytest.fixture
def pool_requests():
    """Return a function that measures the memory one call takes from the pool and the system."""
    from opforge import memory_stats

    def count(run):
        _repeat(run, WARM_UP)
        before = memory_stats()
        _repeat(run, CALLS)
        after = memory_stats()
        hits, system = (
            (after[key] - before[key]) / CALLS for key in ("pool_hits", "system_allocations")
        )
        return hits, system

    return count
