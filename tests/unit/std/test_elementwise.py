"""Factories of rows: declarations created from a line of the table."""

import pytest

from opforge import autograd, nd
from opforge.base.errors import AttributeValueError, ShapeError
from opforge.op.registry.registry import lookup
from opforge.std._elementwise import zero_gradients


def prop_of(name, **attributes):
    return lookup(name).prop_class(**attributes)


def test_unary_row():
    prop = prop_of("exp")
    assert (prop.elementwise_kernel, prop.list_arguments(), prop.saves) == (
        ("unary", "exp"),
        ["data"],
        ("outputs",),
    )
    assert prop.infer_shape([[2, 3]])[1] == [(2, 3)]
    assert prop.named_attribute("FInplaceOption") == [(0, 0)]


def test_binary_rows():
    assert prop_of("broadcast_add").infer_shape([[2, 1], [3]])[1] == [(2, 3)]
    # Each side's shape is inferred from the other's if only one is known.
    assert prop_of("elemwise_add").infer_shape([[2, 3], []])[0] == [(2, 3), (2, 3)]
    with pytest.raises(ShapeError, match="broadcast_ operators"):
        nd.elemwise_add(nd.zeros((2, 1)), nd.zeros((2, 3)))


def test_scalar_row_takes_any_number():
    assert prop_of("_plus_scalar", scalar=True).scalar == 1.0
    assert prop_of("_plus_scalar", scalar="2").scalar == 2.0
    with pytest.raises(AttributeValueError, match="scalar"):
        prop_of("_plus_scalar", scalar="two")
    x = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        y = x * True
    y.backward()
    assert x.grad.asscalar() == 1


def test_zero_gradients():
    grads = zero_gradients(2)(None, nd, [nd.ones(2)], None, None)
    assert [g.asnumpy().tolist() for g in grads] == [[0, 0], [0, 0]]
