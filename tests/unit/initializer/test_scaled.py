import math

import pytest

from opforge import init, nd


def filled(initializer, shape):
    array = nd.zeros(shape)
    initializer._init_weight("w", array)
    return array.asnumpy()


@pytest.mark.parametrize(
    ("factor_type", "factor"), [("avg", (30 + 20) * 4 / 2), ("in", 30 * 4), ("out", 20 * 4)]
)
def test_xavier_bounds(factor_type, factor):
    bound = math.sqrt(3 / factor)
    values = filled(init.Xavier(factor_type=factor_type), (20, 30, 2, 2))
    assert 0.95 * bound < abs(values).max() <= bound


def test_gaussian_and_msra_deviation():
    values = filled(init.Xavier("gaussian", "in", 2), (100, 50))
    assert values.std() == pytest.approx(math.sqrt(2 / 50), rel=0.05)
    values = filled(init.MSRAPrelu("in", 0.0), (100, 50))
    assert values.std() == pytest.approx(math.sqrt(2 / 50), rel=0.05)


def test_vectors_and_unknown_types_are_rejected():
    with pytest.raises(ValueError, match="Xavier initializer cannot be applied to vector w"):
        filled(init.Xavier(), (3,))
    with pytest.raises(ValueError, match="Incorrect factor type 'sum'"):
        filled(init.Xavier(factor_type="sum"), (3, 3))
    with pytest.raises(ValueError, match="Unknown random type 'cauchy'"):
        filled(init.Xavier("cauchy"), (3, 3))
