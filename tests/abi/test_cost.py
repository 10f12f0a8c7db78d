"""A call of a native operator costs what one of the core's kernels costs: counted, not timed."""

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
    """Return Python functions entered, and arrays and other blocks asked for, in one call."""
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


def test_a_call_enters_no_python():
    x = nd.ones((4,), dtype="float64")
    native, own = counted(lambda: nd.abi_scale(x)), counted(lambda: nd.softmax(x))
    assert native == own


def test_a_gradient_enters_as_much_python_as_one_of_operators():
    x = nd.ones((4,), dtype="float64")
    x.attach_grad()

    def step(operator):
        with autograd.record():
            y = operator(x)
        y.backward()

    native = counted(lambda: step(nd.abi_scale))
    own = counted(lambda: step(nd.softmax))
    assert native[0] <= own[0] and native[1] < own[1]
