import pytest

from opforge import nd
from opforge.gluon.utils import clip_global_norm


def test_arrays_shrink_together():
    a, b = nd.array([3, 0]), nd.array([[0, 4]])
    assert clip_global_norm([a, b], 1.0) == pytest.approx(5)
    assert a.asnumpy().tolist() == pytest.approx([0.6, 0])
    assert b.asnumpy().ravel().tolist() == pytest.approx([0, 0.8])
    assert clip_global_norm([a, b], 2.0) == pytest.approx(1)
    assert a.asnumpy().tolist() == pytest.approx([0.6, 0])


def test_infinite_norms_warn():
    with pytest.warns(UserWarning, match="nan or inf is detected"):
        clip_global_norm([nd.array([float("nan")])], 1.0)
