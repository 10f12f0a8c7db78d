import numpy as np

from opforge import nd
from opforge.test_utils._differences import central_differences


def test_the_gradient_of_a_cubic_form():
    place = np.array([[1.0, -2.0], [0.5, 3.0]])
    target = nd.zeros((2, 2), dtype="float64")
    gradient = central_differences(lambda: float((target**3).sum().asscalar()), place, 1e-4, target)
    assert np.allclose(gradient, 3 * place**2, rtol=1e-6)
    assert target.asnumpy().tolist() == place.tolist()


def test_an_empty_array_has_an_empty_gradient():
    target = nd.zeros((0, 3))
    assert central_differences(lambda: 0.0, np.zeros((0, 3)), 1.0, target).shape == (0, 3)
