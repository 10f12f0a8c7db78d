import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.testing import check_ways

from .conftest import CountedProp


class Fickle(mx.operator.CustomOp):
    """Differs in the way that its class says, from the second object on."""

    made = 0
    differs = None

    def __init__(self):
        super().__init__()
        Fickle.made += 1
        self.off = 0.0 if Fickle.made == 1 else 1.0

    def wrong(self, where):
        return self.off if Fickle.differs == where else 0.0

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] + self.wrong("output"))
        self.assign(aux[0], "write", aux[0] + 1 + self.wrong("state"))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] + self.wrong("gradient"))


@mx.operator.register("ways_fickle")
class FickleProp(CountedProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Fickle()


def fickle(F, x, count):
    return F.Custom(x, count, op_type="ways_fickle")


@pytest.fixture
def differs():
    yield
    Fickle.differs = None


def test_equal_results_pass():
    check_ways(lambda F, x: F.tanh(x) * x, [[1.0, 2.0]])
    check_ways(lambda F, x: F.split(x, num_outputs=2), [[[1.0, 2.0]]])
    check_ways(lambda F: F._arange(start=1, stop=4), [])
    check_ways(fickle, [[1.0, 2.0]], states=[[0.0, 0.0]])


@pytest.mark.parametrize("what", ["output", "gradient", "state"])
def test_differences_are_named(what, differs):
    Fickle.made, Fickle.differs = 0, what
    with pytest.raises(AssertionError, match=f"symbol, training: {what} 0"):
        check_ways(fickle, [[1.0, 2.0]], states=[[0.0, 0.0]], modes=(True,))
    check_ways(fickle, [[1.0, 2.0]], states=[[0.0, 0.0]], modes=(True,), atol=2)


def test_a_function_that_is_bound_to_arrays_fails():
    with pytest.raises(TypeError):
        check_ways(lambda F, x: nd.tanh(x), [[1.0]])


def test_a_function_that_differs_for_symbols():
    with pytest.raises(AssertionError, match="symbol, prediction: output 0"):
        check_ways(lambda F, x: x * (2 if F is nd else 3), [[1.0]])


@pytest.mark.parametrize("shape", [(), (0, 2)])
def test_arrays_that_no_graph_holds_are_compared_as_a_block(shape):
    check_ways(lambda F, x: x * 2, [np.ones(shape)])
    check_ways(lambda F, x: F.slice_axis(x, axis=0, begin=0, end=0), [np.ones((2, 2))])


def test_integers_have_no_gradients():
    check_ways(lambda F, i, w: F.take(w, i), [np.array([0, 1], "int32"), [[1.0], [2.0]]])


def test_arrays_keep_their_type():
    check_ways(lambda F, x: F.Cast(x, dtype="float64"), [nd.ones(2, dtype="float16")])
