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


@pytest.mark.parametrize("w_stype", ["row_sparse", "default"])
def test_rows(w_stype):
    def compare(**lazy):
        pair = (
            mx.optimizer.SGD(momentum=0.9, wd=0.1),
            mx.optimizer.SGD(momentum=0.9, wd=0.1, **lazy),
        )
        test_utils.compare_optimizer(*pair, (50, 2), "float32", w_stype, g_stype="row_sparse")

    compare(lazy_update=False)
    with pytest.raises(AssertionError, match="differ"):
        compare()


def test_as_many_tensors_as_shapes():
    with pytest.raises(AssertionError, match="ntensors"):
        test_utils.compare_optimizer(adam(), adam(), (3,), "float32", ntensors=2)
