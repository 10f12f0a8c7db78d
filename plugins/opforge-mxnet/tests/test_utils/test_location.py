import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.test_utils import _location

GRAPH = sym.var("a") + sym.var("b")
PAIR = [np.ones((2,), np.float64), np.zeros((2,), np.float16)]


def test_by_name_or_in_order():
    listed = _location.located(GRAPH, PAIR, mx.cpu(), "float32")
    named = _location.located(GRAPH, {"b": PAIR[1], "a": PAIR[0]}, mx.cpu(1), "asnumpy")
    assert {name: array.dtype for name, array in listed.items()} == dict.fromkeys("ab", np.float32)
    assert (named["a"].dtype, named["b"].dtype) == (np.float64, np.float16)
    assert named["a"].context == mx.cpu(1)


def test_arrays_are_copies():
    mine = nd.array([1, 2], dtype="int32")
    copy = _location.as_array(mine, mx.cpu(), "float32")
    copy[:] = 0
    assert (copy.dtype, mine.asnumpy().tolist()) == (np.int32, [1, 2])


def test_missing_arguments_are_named():
    with pytest.raises(ValueError, match=r"got 1 arguments; expected 2: \['a', 'b'\]"):
        _location.located(GRAPH, PAIR[:1], mx.cpu(), "float32")
    with pytest.raises(ValueError, match=r"got arguments \['a'\]; expected \['a', 'b'\]"):
        _location.located(GRAPH, {"a": PAIR[0]}, mx.cpu(), "float32")
    assert _location.states(GRAPH, None, mx.cpu(), "float32") == {}


def test_requests():
    expected = {"a": "add", "b": "add"}
    assert _location.requests(GRAPH, "add") == expected
    assert _location.requests(GRAPH, ["add", "add"]) == expected
    assert _location.requests(GRAPH, expected) == expected
