import pytest

import opforge as mx
from opforge import test_utils


def adam(**settings):
    return mx.optimizer.create("adam", **settings)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_and_different_optimizers(dtype):
    test_utils.compare_optimizer(adam(), adam(), (3, 4), dtype)
    with pytest.raises(AssertionError):
        test_utils.compare_optimizer(adam(learning_rate=0.5), adam(), (3, 4), dtype)
    with pytest.raises(AssertionError):
        test_utils.compare_optimizer(adam(wd=9.0), adam(), (3, 4), dtype)


def test_an_optimizer_may_change_its_gradient():
    class InPlace(mx.optimizer.SGD):
        def update(self, index, weight, grad, state):
            grad *= 0.5
            super().update(index, weight, grad, state)

    test_utils.compare_optimizer(InPlace(), InPlace(), (3, 4), "float32")


def test_dense_only():
    with pytest.raises(mx.MXNetError, match="row_sparse"):
        test_utils.compare_optimizer(adam(), adam(), (3,), "float32", w_stype="row_sparse")
    with pytest.raises(AssertionError, match="ntensors"):
        test_utils.compare_optimizer(adam(), adam(), (3,), "float32", ntensors=2)
