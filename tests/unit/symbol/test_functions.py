import numpy as np
import pytest

from opforge import nd, sym
from opforge.symbol.variable import typed_variable

LEFT = np.array([[1.0, 4.0, 0.0]], dtype=np.float32)
RIGHT = np.array([[2.0], [4.0]], dtype=np.float32)
NAMES = [
    "add", "subtract", "multiply", "divide", "true_divide", "modulo", "power", "equal",
    "not_equal", "greater", "greater_equal", "lesser", "lesser_equal", "logical_and", "logical_or",
    "logical_xor",
]  # fmt: skip


@pytest.mark.parametrize("name", [*NAMES, "maximum", "minimum", "hypot"])
def test_they_are_nds(name):
    function, reference = getattr(sym, name), getattr(nd, name)
    a, b = sym.var("a"), sym.var("b")
    left, right = nd.array(LEFT), nd.array(RIGHT)
    if name in NAMES and name != "power":
        have = function(a, b).eval(a=left, b=right)[0].asnumpy()
        np.testing.assert_allclose(have, reference(left, right).asnumpy(), rtol=1e-6)
    have = function(a, b).eval(a=left, b=left)[0].asnumpy()
    np.testing.assert_allclose(have, reference(left, left).asnumpy(), rtol=1e-6)
    have = function(a, 2).eval(a=left)[0].asnumpy()
    np.testing.assert_allclose(have, reference(left, 2).asnumpy(), rtol=1e-6)
    have = function(2, b).eval(b=right)[0].asnumpy()
    np.testing.assert_allclose(have, reference(2, right).asnumpy(), rtol=1e-6)
    assert function(3, 2) == reference(3, 2)


def test_mxnets_five_take_equal_shapes():
    a, b = sym.var("a"), sym.var("b")
    assert sym.maximum(a, b).edges[0][0].operation.name == "_maximum"
    assert sym.pow(a, b).edges[0][0].operation.name == "_power"
    assert sym.add(a, b).edges[0][0].operation.name == "broadcast_add"
    known = typed_variable("x", (1, 3), 0), typed_variable("y", (2, 1), 0)
    assert sym.maximum(*known).shape == (2, 3)


def test_other_operands_raise():
    with pytest.raises(TypeError, match="type <class 'str'> not supported"):
        sym.maximum(sym.var("a"), "b")


def test_concatenate_and_moveaxis():
    x = nd.array(np.arange(6).reshape(1, 2, 3))
    a = sym.var("a")
    assert sym.concatenate([a, a], axis=2).eval(a=x)[0].shape == (1, 2, 6)
    typed = typed_variable("x", (1, 2, 3), 0)
    assert sym.moveaxis(typed, 0, -1).shape == (2, 3, 1)
    assert sym.moveaxis(typed, [0, 1], [1, 0]).shape == (2, 1, 3)
