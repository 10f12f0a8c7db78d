"""The forward check finds wrong values, shapes and types, and counts what it compared."""

import numpy as np
import pytest

from opforge import nd
from opforge.testing import check_forward

SHAPES = [[(2, 3)], [(0,)]]


def test_counts_cases_times_types():
    assert check_forward(nd.exp, np.exp, SHAPES, dtypes=("float32",)) == 2
    assert check_forward(nd.exp, np.exp, SHAPES) == 4


def test_finds_wrong_values():
    with pytest.raises(AssertionError, match="dtype float32"):
        check_forward(lambda x: nd.exp(x) * 1.001, np.exp, SHAPES)


def test_finds_wrong_shapes():
    with pytest.raises(AssertionError, match=r"shape \(1,\), expected \(2, 3\)"):
        check_forward(nd.sum, np.exp, SHAPES)


def test_finds_wrong_types():
    with pytest.raises(AssertionError, match=r"expected float64"):
        check_forward(lambda x: nd.exp(x).astype("float32"), np.exp, SHAPES, dtypes=("float64",))


def test_draws_from_the_given_sampler():
    def positive(rng, shape):
        return rng.uniform(1, 2, shape)

    check_forward(nd.log, np.log, SHAPES, sample=positive)
