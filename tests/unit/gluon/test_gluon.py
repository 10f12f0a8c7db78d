import pytest

from opforge import gluon


def test_modules_load_on_demand():
    assert gluon.loss.L2Loss.__name__ == "L2Loss"
    assert gluon.nn.Sequential is not None
    assert set(gluon.__all__) <= set(dir(gluon))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = gluon.nonsense
