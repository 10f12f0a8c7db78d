"""Operators composed of other operators by `compose` instead of their own computation."""

import traceback

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.errors import OperatorError
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry


class Gate(OperatorProp):
    """Multiply by the sigmoid of the data."""

    name = "gate"
    beta = Attribute(float, default=1.0)

    def compose(self, F, data):
        return data / (1 + F.exp(-self.beta * data))


class Parts(OperatorProp):
    """Sum and difference."""

    name = "parts"
    arguments = ("lhs", "rhs")
    outputs = ("sum", "difference")

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]] * 2, []

    def compose(self, F, lhs, rhs):
        return [lhs + rhs, lhs - rhs]


class Sign(OperatorProp):
    """Round to -1 or 1, without a gradient."""

    name = "hard_sign"
    differentiable = False

    def compose(self, F, data):
        return data / F.abs(data)


@pytest.fixture
def declared(monkeypatch):
    """Return a function that registers a declaration and calls it through nd.Custom."""
    monkeypatch.setattr(registry, "_custom", {})

    def make(prop_class):
        mx.operator.register(prop_class.name)(prop_class)
        return lambda *args, **named: nd.Custom(*args, op_type=prop_class.name, **named)

    return make


@pytest.mark.plugins
def test_gradients_of_every_order_follow(declared):
    from opforge.testing import check_gradients

    gate = declared(Gate)
    x = np.array([[-2.0, -0.5], [0.25, 3.0]])
    np.testing.assert_allclose(
        gate(nd.array(x, dtype="float64"), beta=2).asnumpy(), x / (1 + np.exp(-2 * x))
    )
    check_gradients(lambda a: gate(a, beta=2), [x], order=2, rtol=1e-4)


def test_several_outputs(declared):
    parts = declared(Parts)
    a, b = nd.array([1.0, 2.0]), nd.array([5.0, 7.0])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        total, difference = parts(a, b)
        (total + 3 * difference).backward()
    assert a.grad.asnumpy().tolist() == [4, 4]
    assert b.grad.asnumpy().tolist() == [-2, -2]


def test_out(declared):
    parts, gate = declared(Parts), declared(Gate)
    x = nd.ones((2,))
    target = nd.zeros((2,))
    assert gate(x, out=target) is target
    assert target.asnumpy().tolist() == gate(x).asnumpy().tolist()
    pair = [nd.zeros((2,)), nd.zeros((2,))]
    assert parts(x, x, out=pair) is pair
    assert [p.asnumpy().tolist() for p in pair] == [[2, 2], [0, 0]]
    with pytest.raises(ValueError, match=r"operator 'parts' \(.*\) has 2 outputs, out has 1"):
        parts(x, x, out=target)
    with pytest.raises(TypeError, match=r"operator 'gate' \(.*\): out must be an NDArray, got int"):
        gate(x, out=3)
    with pytest.raises(mx.MXNetError, match=r"out has shape \(3,\)"):
        gate(x, out=nd.zeros((3,)))


def test_not_differentiable_is_not_recorded(declared):
    sign = declared(Sign)
    x = nd.array([-2.0, 4.0])
    x.attach_grad()
    with autograd.record():
        y = sign(x) * x
        assert autograd.is_recording()
    y.backward()
    assert x.grad.asnumpy().tolist() == [-1, 1]


def fails(self, F, data):
    raise LookupError("the author says no")


@pytest.mark.parametrize(
    ("compose", "text"),
    [
        (fails, "raised LookupError in compose: the author says no"),
        (lambda s, F, data: None, "raised TypeError in compose: it returned NoneType"),
        (lambda s, F, data: [data, data], "it returned 2 arrays for 1 outputs"),
        (lambda s, F, data: F.no_such_operator(data), "raised OperatorNotFoundError in compose"),
    ],
)
def test_mistakes(declared, compose, text):
    wrong = declared(type("Wrong", (OperatorProp,), {"name": "wrong", "compose": compose}))
    with pytest.raises(OperatorError) as caught:
        wrong(nd.ones((2, 3)))
    assert text in str(caught.value)
    assert str(caught.value).startswith("operator 'wrong' (registered in this program)")
    assert "(input shapes: (2, 3))" in str(caught.value)
    if compose is fails:
        assert traceback.extract_tb(caught.tb)[-1].name == "fails"


def test_recording_goes_on_after_a_mistake(declared):
    wrong = declared(type("Wrong", (Sign,), {"name": "wrong", "compose": fails}))
    with autograd.record():
        with pytest.raises(OperatorError):
            wrong(nd.ones((1,)))
        assert autograd.is_recording()


def test_an_attribute_cannot_hide_it():
    with pytest.raises(TypeError, match="cannot be called 'compose'"):
        type("Bad", (OperatorProp,), {"name": "bad", "compose": Attribute(int, default=1)})
