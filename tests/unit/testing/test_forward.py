"""The forward check accepts what is right and names what is wrong."""

import numpy as np
import pytest

from opforge import nd
from opforge.testing import check_forward


def test_counts_its_comparisons():
    assert check_forward(nd.exp, np.exp, [[(2, 3)], [(0,)], [(1,)]]) == 6
    assert check_forward(nd.exp, np.exp, [[(2, 3)]], dtypes=["float16"]) == 1


def test_wrong_values():
    with pytest.raises(AssertionError, match=r"inputs \[\(3,\)\], dtype float32"):
        check_forward(lambda x: x * 1.001, lambda x: x, [[(3,)]])


def test_wrong_shape():
    with pytest.raises(AssertionError, match=r"shape \(3, 2\), expected \(2, 3\)"):
        check_forward(nd.transpose, lambda x: x, [[(2, 3)]])


def test_wrong_dtype():
    with pytest.raises(AssertionError, match="expected float64"):
        check_forward(lambda x: x.astype("float32"), lambda x: x, [[(2,)]], dtypes=["float64"])


def test_sample_and_tolerance():
    seen = []

    def sample(rng, shape):
        seen.append(shape)
        return rng.uniform(1, 2, shape)

    loose = {"float32": 1e-2}
    check_forward(
        lambda a, b: a * 1.001 / b,
        lambda a, b: a / b,
        [[(2,), (2,)]],
        dtypes=["float32"],
        tolerances=loose,
        sample=sample,
    )
    assert seen == [(2,), (2,)]
