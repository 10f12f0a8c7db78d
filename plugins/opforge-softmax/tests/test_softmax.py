import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import AttributeValueError, ShapeError
from opforge.testing import check_forward, check_gradients, check_requests

RNG = np.random.default_rng(0)
SHAPES = [[(4, 3)], [(5,)], [(2, 3, 4)], [(1, 1)], [(0, 3)], [(3, 0)], [(300, 257)]]
TOLERANCES = {"float16": 4e-3, "float32": 4e-6, "float64": 1e-12}


def softmax(x, axis=-1, temperature=1.0):
    if x.size == 0:
        return x
    e = np.exp((x - x.max(axis, keepdims=True)) / temperature)
    return e / e.sum(axis, keepdims=True)


def log_softmax(x, axis=-1):
    if x.size == 0:
        return x
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


REFERENCES = {"softmax": softmax, "log_softmax": log_softmax, "softmin": lambda x: softmax(-x)}


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_forward(name):
    dtypes = ["float16", "float32", "float64"]
    count = check_forward(
        getattr(nd, name), REFERENCES[name], SHAPES, dtypes=dtypes, tolerances=TOLERANCES
    )
    assert count == 3 * len(SHAPES)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("dtype", "smallest"), [("float32", 103), ("float64", 744)])
def test_subnormal_probabilities_have_a_logarithm(dtype, smallest, axis):
    """Face recognition by ArcFace logs the logarithm of a softmax; 0 made its loss NaN."""
    x = np.zeros((70, 70), dtype)
    index = np.arange(70)
    # One element of each row and column is the largest.
    x[index, index] = np.linspace(80, smallest - 4.5, 70)
    probabilities = nd.softmax(nd.array(x, dtype=dtype), axis=axis)
    expected = log_softmax(x.astype(np.longdouble), axis)
    # Rounding of a subnormal number is at most half of it.
    np.testing.assert_allclose(nd.log(probabilities).asnumpy(), expected, atol=0.7)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_any_axis(axis):
    x = RNG.standard_normal((3, 4, 5))
    y = nd.softmax(nd.array(x, dtype="float64"), axis=axis)
    np.testing.assert_allclose(y.asnumpy(), softmax(x, axis), rtol=1e-12)
    check_gradients(lambda a: nd.log_softmax(a, axis=axis), [x], order=2, rtol=1e-4)


@pytest.mark.parametrize("name", sorted(REFERENCES))
@pytest.mark.parametrize("temperature", [1.0, 0.5, 3.0])
def test_gradients_and_requests(name, temperature):
    def function(x):
        return getattr(nd, name)(x, axis=1, temperature=temperature)

    x = RNG.standard_normal((3, 4))
    check_gradients(function, [x], order=2, rtol=1e-4)
    check_requests(function, [x])


def test_temperature():
    x = RNG.standard_normal((3, 4))
    y = nd.softmax(nd.array(x, dtype="float64"), temperature=2.0).asnumpy()
    np.testing.assert_allclose(y, softmax(x, temperature=2.0), rtol=1e-12)
    with pytest.raises(AttributeValueError, match="temperature"):
        nd.softmax(nd.ones((2,)), temperature=0)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_nan_makes_its_row_nan(name):
    y = getattr(nd, name)(nd.array([[np.nan, 1, 2], [1, 2, 3]])).asnumpy()
    assert np.isnan(y).all(1).tolist() == [True, False]


def test_large_values_do_not_overflow():
    y = nd.softmax(nd.array([[1e4, 0.0, -1e4], [-np.inf, 0.0, 0.0]])).asnumpy()
    assert y.tolist() == [[1, 0, 0], [0, 0.5, 0.5]]
    assert nd.log_softmax(nd.array([1e4, 0.0])).asnumpy().tolist() == [0, -1e4]


@pytest.mark.parametrize("axis", [2, -3])
def test_axis_out_of_range(axis):
    with pytest.raises(ShapeError, match=r"softmax.*axis"):
        nd.softmax(nd.ones((2, 3)), axis=axis)
