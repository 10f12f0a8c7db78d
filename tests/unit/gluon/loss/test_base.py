import numpy as np
import pytest

from opforge import gluon, nd
from opforge.gluon.loss.base import rank, reshape_like, weighted


def test_repr():
    assert repr(gluon.loss.L2Loss()) == "L2Loss(batch_axis=0, w=1.0)"
    assert repr(gluon.loss.L1Loss(batch_axis=1)) == "L1Loss(batch_axis=1, w=None)"


def test_weights():
    loss = nd.ones((2, 3))
    result = weighted(nd, loss, 2.0, nd.array([[1], [3]]))
    assert result.asnumpy().tolist() == [[2] * 3, [6] * 3]
    assert weighted(nd, loss, None, None) is loss
    with pytest.raises(AssertionError, match="weight must be a number"):
        weighted(nd, loss, "2", None)


def test_losses_of_other_packages_find_the_functions_under_mxnet_s_names():
    loss = nd.ones((2, 3))
    assert gluon.loss._apply_weighting(nd, loss) is loss
    assert gluon.loss._reshape_like(nd, nd.arange(6), loss).shape == (2, 3)


def test_reshape_like():
    x = nd.arange(6)
    assert reshape_like(nd, x, nd.ones((2, 3))).shape == (2, 3)
    assert reshape_like(nd, x, x) is x


def test_batch_axis_is_kept():
    pred, label = np.random.rand(2, 3), np.zeros((2, 3))
    for axis in (0, 1):
        loss = gluon.loss.L1Loss(batch_axis=axis)(nd.array(pred), nd.array(label))
        np.testing.assert_allclose(loss.asnumpy(), pred.mean(axis=1 - axis), rtol=1e-6)


def test_the_base_has_no_rule():
    with pytest.raises(NotImplementedError):
        gluon.loss.Loss(None, 0)(nd.ones((1,)))


def test_symbols_have_no_rank():
    class Namespace:
        @staticmethod
        def reshape_like(x, y):
            return "reshaped"

    assert rank(nd.ones((2, 3))) == 2
    assert rank("symbol") is None
    assert reshape_like(Namespace, "label", "pred") == "reshaped"
