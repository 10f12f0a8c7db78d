"""Composed operators: values, gradients, `out`, errors."""

import numpy as np
import pytest

from opforge import autograd, cpu, nd
from opforge.base.errors import OperatorError, ShapeError
from opforge.native.dispatch.invoking import invoke
from opforge.op.calling.binding import make_handle
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry


def call(prop_class, *inputs, out=None):
    handle = make_handle(Entry(prop_class.name, prop_class, "some-plugin", "1.0", "plugin"))
    return invoke(handle, inputs, (), out)


def pair():
    return nd.array([1.0, 2.0]), nd.array([10.0, 20.0])


class Composed(OperatorProp):
    """Twice the product, made of operators."""

    name = "composed"
    arguments = ("left", "right")

    def compose(self, F, left, right):
        if left.shape != right.shape:
            raise KeyError("the author's own")
        return F.broadcast_mul(left, right) * 2


def test_composed_operators_compute_and_differentiate():
    a, b = pair()
    a.attach_grad()
    with autograd.record():
        y = call(Composed, a, b)
    y.backward()
    assert y.asnumpy().tolist() == [20, 80]
    assert a.grad.asnumpy().tolist() == [20, 40]


@pytest.mark.parametrize("wrap", [lambda out: out, lambda out: [out]])
def test_out_of_a_composed_operator_is_filled_and_recorded(wrap):
    a, b = pair()
    a.attach_grad()
    out = nd.zeros((2,))
    given = wrap(out)
    with autograd.record():
        assert call(Composed, a, b, out=given) is given
    assert out.asnumpy().tolist() == [20, 80]
    out.backward()
    assert a.grad.asnumpy().tolist() == [20, 40]


@pytest.mark.parametrize("out", [3, [], np.zeros(2)])
def test_out_of_a_composed_operator_must_be_an_array(out):
    with pytest.raises((TypeError, ValueError), match=r"composed.*out"):
        call(Composed, *pair(), out=out)


def test_out_of_a_composed_operator_must_fit():
    with pytest.raises(ShapeError, match=r"\(3,\).*expected \(2,\)"):
        call(Composed, *pair(), out=nd.zeros((3,)))


def test_authors_error_in_compose_is_wrapped():
    with pytest.raises(OperatorError, match="compose") as caught:
        call(Composed, nd.ones((2,)), nd.ones((3,)))
    assert isinstance(caught.value.__cause__, KeyError)


class Shifted(OperatorProp):
    """The sum with an array that the composition creates."""

    name = "shifted"
    arguments = ("data",)

    def compose(self, F, data):
        return F.broadcast_add(data, F.ones((2,)))


@pytest.mark.parametrize("current", [0, 1])
def test_arrays_of_a_composition_are_on_the_device_of_its_inputs(current):
    data = nd.zeros((2,), ctx=cpu(1))
    with cpu(current):
        assert call(Shifted, data).context == cpu(1)
        assert nd.zeros((1,)).context == cpu(current)
