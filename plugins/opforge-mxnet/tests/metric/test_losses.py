import pytest

from opforge import metric, nd


@pytest.mark.parametrize("name", ["torch", "caffe"])
def test_mean_of_a_loss(name):
    m = metric.create(name)
    m.update(None, [nd.array([1, 2]), nd.array([6])])
    assert m.get() == m.get_global() == (name, 3.0)
    assert m.get_config()["metric"] == name.capitalize()
