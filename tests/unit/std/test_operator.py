"""Common properties of all rows: element types, requests, gradients that are not requested."""

import numpy as np
import pytest

from opforge import autograd, nd, sym
from opforge.base.errors import DTypeError
from opforge.std._operator import needs_gradient, no_gradient, scratch, store


def test_inputs_of_different_types_are_rejected():
    with pytest.raises(DTypeError, match="'rhs' has dtype float64; expected float32"):
        nd.dot(nd.zeros((2, 2)), nd.zeros((2, 2), dtype="float64"))
    with pytest.raises(DTypeError, match="'arg1' has dtype int32"):
        nd.concat(nd.zeros((1, 2)), nd.zeros((1, 2), dtype="int32"))


def test_free_inputs_may_have_any_type():
    for dtype in ("int32", "int64", "uint8", "float64", "float16"):
        assert nd.take(nd.arange(4), nd.array([3, 0], dtype=dtype)).asnumpy().tolist() == [3, 0]


def test_store():
    out = nd.full((1, 2), 5)
    store(out, np.array([1.0, 2.0]), "null")
    assert out.asnumpy().tolist() == [[5, 5]]
    store(out, np.array([1.0, 2.0]), "add")
    assert out.asnumpy().tolist() == [[6, 7]]
    store(out, np.array([3, 4]), "write")
    assert out.asnumpy().tolist() == [[3, 4]]


def test_scratch_has_the_type_that_is_asked_for():
    x = nd.zeros(2, dtype="int8")
    assert scratch(x, (3, 1)).dtype is np.int8 and scratch(x, (3, 1)).shape == (3, 1)
    assert scratch(x, (1,), 1).dtype is np.float64


def test_needs_gradient():
    x, y = nd.zeros(1), nd.zeros(1)
    x.attach_grad()
    with autograd.record():
        z = x * 2
    assert needs_gradient(x) and needs_gradient(z) and not needs_gradient(y)
    assert needs_gradient(sym.var("x"))
    assert no_gradient(nd, y) is None
    assert no_gradient(nd, x).asnumpy().tolist() == [0]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: sym.sort(x, name="z"), "z_output0"),
        (lambda x: sym.make_loss(x, name="z"), "z_loss"),
        (lambda x: sym.amp_multicast(x, num_outputs=1, name="z"), "z_output"),
    ],
)
def test_outputs_have_mxnets_names(call, name):
    assert call(sym.var("x")).list_outputs() == [name]
