import numpy as np
import pytest

from opforge import init, nd


def filled(initializer, shape):
    array = nd.zeros(shape)
    initializer._init_weight("w", array)
    return array.asnumpy()


@pytest.mark.parametrize("value", [3, 3.5, [1, 2], (1, 2), np.array([1, 2]), [[1], [2]]])
def test_constant_takes_numbers_lists_and_arrays(value):
    expected = np.broadcast_to(np.asarray(value, "float32"), (2, 2))
    assert (filled(init.Constant(value), (2, 2)) == expected).all()


def test_constant_takes_arrays_of_its_own():
    assert filled(init.Constant(nd.array([4, 5])), (2,)).tolist() == [4, 5]
    assert filled(init.Constant([nd.array([4, 5]), nd.array([6, 7])]), (2, 2)).tolist() == [
        [4, 5],
        [6, 7],
    ]


def test_zero_and_one():
    assert filled(init.One(), (2,)).tolist() == [1, 1]
    assert filled(init.Zero(), (2,)).tolist() == [0, 0]


def test_uniform_and_normal_have_their_scale():
    uniform = filled(init.Uniform(0.3), (100, 100))
    assert -0.3 <= uniform.min() < -0.29
    assert 0.29 < uniform.max() <= 0.3
    normal = filled(init.Normal(2.0), (100, 100))
    assert abs(normal.mean()) < 0.1
    assert abs(normal.std() - 2.0) < 0.1
