import numpy as np
from opforge_estimator.arrays import leaves, numpy_values, record_symbols

from opforge import gluon, nd


class Sums(gluon.HybridBlock):
    """Two outputs, one in a list, from an array, a list of arrays and a number."""

    def hybrid_forward(self, F, x, others, factor):
        return x * factor, [others[0] + others[1]], None


def test_values():
    assert numpy_values(nd.array([1, 2])).tolist() == [1, 2]
    assert numpy_values([[1, 2]]).shape == (1, 2)
    assert isinstance(numpy_values(3), np.ndarray)


def test_leaves_of_nested_lists():
    assert list(leaves([1, (2, [3]), []])) == [1, 2, 3]
    assert list(leaves(None)) == [None]


def test_symbols_of_nested_arguments():
    x, y = nd.ones((2, 3)), nd.ones((1, 3))
    first, second = record_symbols(Sums(), (x, [y, y], 2), "in")
    assert first.list_arguments() == ["in0"]
    assert second.list_arguments() == ["in1", "in2"]
    assert (first.infer_shape()[1], second.infer_shape()[1]) == ([(2, 3)], [(1, 3)])


def test_a_single_variable_has_no_number():
    (symbol,) = record_symbols(gluon.nn.HybridLambda("exp"), (nd.ones(2),), "data")
    assert symbol.list_arguments() == ["data"]
