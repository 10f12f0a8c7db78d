import numpy as np
import pytest

from opforge.cli.networks.comparing import compare

X = np.array([1.0, -2.0, np.inf, np.nan])


@pytest.mark.parametrize(
    ("other", "largest"),
    [
        (X, 0.0),
        (X + [0, 0.5, 0, 0], 0.25),
        (X.reshape(2, 2), 0.0),
        (X[:3], np.inf),
        (np.array([1.0, -2.0, np.inf, 0.0]), np.inf),
        (np.array([1.0, -2.0, -np.inf, np.nan]), np.inf),
    ],
)
def test_differences_are_relative_to_the_largest_element(other, largest):
    (row,) = compare({"a": X, "only here": X}, {"a": other, "only there": X}, 1e-3)
    assert row.name == "a" and row.shape == (4,)
    assert row.largest == largest and row.is_same is (largest == 0)


def test_nothing_finite_and_zeros():
    for array in (np.array([np.nan]), np.zeros(3), np.array([True])):
        assert compare({"a": array}, {"a": array}, 0.0)[0].is_same
