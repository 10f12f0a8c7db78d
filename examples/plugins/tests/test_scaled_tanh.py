"""Tests of scaled_tanh, run against each of its implementations: c, cython and numba."""

import numpy as np
import pytest

from opforge import nd, sym
from opforge.testing import check_forward, check_gradients, check_ways

X = np.linspace(-2, 2, 12).reshape(3, 4)


def test_values():
    check_forward(
        lambda x: nd.scaled_tanh(x, scale=1.5),
        lambda x: np.tanh(1.5 * x),
        [[(3, 4)], [(1,)], [(0, 2)], [(70000,)]],
    )


def test_all_execution_paths():
    check_ways(lambda F, x: F.scaled_tanh(x, scale=1.5), [X])


def test_gradient():
    check_gradients(lambda x: nd.scaled_tanh(x, scale=1.5), [X])


def test_other_types_are_rejected():
    with pytest.raises(TypeError, match=r"scaled_tanh.*scaled-tanh.*expected float32 or float64"):
        nd.scaled_tanh(nd.array([1, 2], dtype="int32"))


def test_attribute_is_checked():
    with pytest.raises(ValueError, match="scale"):
        nd.scaled_tanh(nd.array([1.0]), scale="wide")


def test_saved_graphs_keep_the_attribute():
    graph = sym.load_json(sym.scaled_tanh(sym.var("x"), scale=2).tojson())
    result = graph.eval(x=nd.array([0.5]))[0]
    np.testing.assert_allclose(result.asnumpy(), np.tanh([1.0]), rtol=1e-6)
