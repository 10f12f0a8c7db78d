"""A call of a native operator costs as much as one of the core's kernels: counted, not timed."""

import sys

import pytest

import opforge
from opforge import autograd, nd

from .declarations import declare_all, registered

CALLS = 50


@pytest.fixture(scope="module", autouse=True)
def operators(checks):
    with registered(declare_all(checks), "abi-checks"):
        yield


def counted(call):
    """Return the Python functions entered and the arrays and other blocks allocated in one call."""
    for _ in range(3):
        call()
    entered = 0

    def count(frame, event, argument):
        nonlocal entered
        entered += event == "call"

    before = opforge.memory_stats()
    sys.setprofile(count)
    try:
        for _ in range(CALLS):
            call()
    finally:
        sys.setprofile(None)
    after = opforge.memory_stats()
    assert after["system_allocations"] == before["system_allocations"]
    return entered / CALLS, (after["pool_hits"] - before["pool_hits"]) / CALLS


def test_a_call_runs_no_python():
    x = nd.ones((4,), dtype="float64")
    native, builtin = counted(lambda: nd.abi_scale(x)), counted(lambda: nd.softmax(x))
    assert native == builtin


def test_a_gradient_runs_as_much_python_as_a_composed_one():
    x = nd.ones((4,), dtype="float64")
    x.attach_grad()

    def step(operator):
        with autograd.record():
            y = operator(x)
        y.backward()

    native = counted(lambda: step(nd.abi_scale))
    builtin = counted(lambda: step(nd.softmax))
    assert native[0] <= builtin[0] and native[1] < builtin[1]
