"""Kernels as Python functions: the loops around them, and the error where Numba is missing.

Numba is no requirement of the tests: its `njit` is replaced by the function itself, which computes
the same, slowly. Where Numba is installed the real one is tested as well.
"""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import opforge as mx
from opforge.base.errors import OpforgeError


def scale(threadIdx, blockIdx, blockDim, gridDim, x, y):
    i = blockIdx.x * blockDim.x + threadIdx.x
    if i < x.shape[0]:
        y[i] = 5 * x[i] + 100 * gridDim.x


@pytest.fixture
def interpreted(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", SimpleNamespace(njit=lambda function: function))


def push(function):
    x, y = mx.nd.arange(10), mx.nd.zeros((10,))
    mx.rtc("scale", [("x", x)], [("y", y)], function).push([x], [y], (2, 1, 1), (8, 1, 1))
    return y.asnumpy()


def test_the_loops_visit_every_thread(interpreted):
    assert push(lambda *a: scale(*a)).tolist() == (5 * np.arange(10) + 200).tolist()


def test_all_axes_are_visited(interpreted):
    y = mx.nd.zeros((2, 3, 4))

    def mark(threadIdx, blockIdx, blockDim, gridDim, y):
        y[blockIdx.z, threadIdx.y, blockIdx.x * blockDim.x + threadIdx.x] += 1

    mx.rtc("mark", [], [("y", y)], mark).push([], [y], (2, 1, 2), (2, 3, 1))
    assert (y.asnumpy() == 1).all()


def test_inputs_cannot_be_written(interpreted):
    def wrong(threadIdx, blockIdx, blockDim, gridDim, x, y):
        x[0] = 1

    with pytest.raises(OpforgeError, match=r"'scale' failed in Numba: .*read-only") as caught:
        push(wrong)
    assert isinstance(caught.value.__cause__, ValueError)


def test_with_numba():
    pytest.importorskip("numba", reason="Numba is optional")
    assert push(scale).tolist() == (5 * np.arange(10) + 200).tolist()


def test_error_without_numba_has_advice(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(OpforgeError, match=r"needs Numba\. Run pip install numba, or pass"):
        push(lambda *a: None)


def test_non_string_kernels_are_rejected():
    with pytest.raises(OpforgeError, match="kernel is 3; expected its body in C"):
        push(3)
