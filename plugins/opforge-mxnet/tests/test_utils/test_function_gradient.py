import numpy as np
import pytest

from opforge import autograd, nd, test_utils


class WrongSquare(autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, dy):
        (x,) = self.saved_tensors
        return dy * x * 2.01


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_check_numeric_gradient_accepts_a_right_gradient(dtype):
    a, b = np.array([[1.0, 2.0]]), np.array([[3.0], [0.5]])
    test_utils.check_numeric_gradient(lambda x, y: x * y + y, [a, b], dtype=dtype)
    test_utils.check_numeric_gradient(lambda x, y: [x * 2, y * x], {"y": b, "x": nd.array(a)})


def test_check_numeric_gradient_names_the_wrong_one():
    def both(x, y):
        return WrongSquare()(x) + y

    location = {"x": np.array([1.0, 2.0]), "y": np.array([3.0, 4.0])}
    with pytest.raises(AssertionError, match="gradient of 'x' by autograd"):
        test_utils.check_numeric_gradient(both, location)
    test_utils.check_numeric_gradient(both, location, grad_nodes=["y"])
    test_utils.check_numeric_gradient(both, location, rtol=0.01)


def test_check_numeric_gradient_runs_in_the_mode_asked_for():
    modes = []

    def watch(x):
        modes.append(autograd.is_training())
        return x * 1

    for mode in (True, False):
        test_utils.check_numeric_gradient(watch, [np.ones(1)], use_forward_train=mode)
        assert set(modes) == {mode}
        modes.clear()
