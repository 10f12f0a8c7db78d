import pytest

from opforge import nd


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
def test_excluding_every_axis_leaves_the_array(name):
    x = nd.array([1.0, -2.0, 3.0])
    assert getattr(nd, name)(x, axis=0, exclude=True).asnumpy().tolist() == [1, -2, 3]
