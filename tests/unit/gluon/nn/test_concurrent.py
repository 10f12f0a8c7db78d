"""Blocks side by side."""

import numpy as np
import pytest

from opforge import nd, sym
from opforge.gluon import contrib, nn


@pytest.mark.parametrize("container", [nn.Concurrent, nn.HybridConcurrent])
def test_results_are_put_together_along_the_axis(container):
    paths = container(axis=1)
    paths.add(nn.Identity(), nn.HybridLambda("square"))
    if container is nn.HybridConcurrent:
        paths.hybridize()
    x = nd.array([[1, 2], [3, 4]])
    np.testing.assert_array_equal(paths(x).asnumpy(), [[1, 2, 1, 4], [3, 4, 9, 16]])
    assert contrib.nn.HybridConcurrent is nn.HybridConcurrent


def test_the_last_axis_is_taken_where_none_is_named():
    paths = nn.HybridConcurrent()
    paths.add(nn.Identity(), nn.Identity(), nn.Identity())
    assert paths(nd.ones((2, 3, 4))).shape == (2, 3, 12)
    assert paths(sym.var("x")).list_arguments() == ["x"]


@pytest.mark.plugins
def test_contrib_has_the_layers_of_plugins():
    assert contrib.nn.Dense is nn.Dense
