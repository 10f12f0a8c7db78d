"""Blocks applied to the same input."""

import numpy as np
import pytest

from opforge import nd, sym
from opforge.gluon import nn


@pytest.mark.parametrize("container", [nn.Concurrent, nn.HybridConcurrent])
def test_results_are_put_together_along_the_axis(container):
    paths = container(axis=1)
    paths.add(nn.Identity(), nn.HybridLambda("square"))
    if container is nn.HybridConcurrent:
        paths.hybridize()
    x = nd.array([[1, 2], [3, 4]])
    np.testing.assert_array_equal(paths(x).asnumpy(), [[1, 2, 1, 4], [3, 4, 9, 16]])


def test_the_last_axis_is_taken_where_none_is_named():
    paths = nn.HybridConcurrent()
    paths.add(nn.Identity(), nn.Identity(), nn.Identity())
    assert paths(nd.ones((2, 3, 4))).shape == (2, 3, 12)
    assert paths(sym.var("x")).list_arguments() == ["x"]
