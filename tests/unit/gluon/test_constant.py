import numpy as np
import pytest

from opforge import autograd, gluon, nd


@pytest.mark.parametrize("value", [[[1, 2]], np.array([[1, 2]]), ((1, 2),), "array"])
def test_values(value):
    value = nd.array([[1, 2]]) if isinstance(value, str) else value
    constant = gluon.Constant("c", value)
    constant.initialize()
    assert constant.data().asnumpy().tolist() == [[1, 2]]
    assert repr(constant) == "Constant c (shape=(1, 2), dtype=<class 'numpy.float32'>)"


def test_it_has_no_gradient():
    constant = gluon.Constant("c", [2])
    constant.initialize()
    with pytest.raises(RuntimeError, match="because grad_req='null'"):
        constant.grad()
    with pytest.warns(UserWarning, match='"c" does not support grad_req'):
        constant.grad_req = "write"
    assert constant.grad_req == "null"


def test_initialisers_of_the_network_do_not_touch_it():
    constant = gluon.Constant("c", [2])
    constant.initialize(default_init="zeros")
    assert constant.data().asscalar() == 2


def test_in_a_block():
    class Shift(gluon.HybridBlock):
        def __init__(self, offset, **kwargs):
            super().__init__(**kwargs)
            self.offset = self.params.get_constant("offset", offset)

        def hybrid_forward(self, F, x, offset):
            return F.broadcast_add(x, offset)

    shift = Shift([1.5])
    shift.initialize()
    x = nd.array([1, 2])
    x.attach_grad()
    with autograd.record():
        y = shift(x)
    y.backward()
    assert y.asnumpy().tolist() == [2.5, 3.5]
    assert x.grad.asnumpy().tolist() == [1, 1]
