import numpy as np
import pytest
from opforge_normalization import checks

from opforge import nd
from opforge.base.errors import AttributeValueError, ShapeError
from opforge.testing import check_gradients

X = np.random.default_rng(0).standard_normal((2, 5, 3, 2))
TOLERANCES = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-10}
CALLS = [
    *(("L2Normalization", checks.l2, {"mode": m}) for m in ("instance", "channel", "spatial")),
    *(("LRN", checks.lrn, {"nsize": n, "alpha": 0.5, "beta": 0.5}) for n in (1, 2, 3, 5, 20)),
    ("LRN", checks.lrn, {"nsize": 3}),
]


@pytest.mark.parametrize("dtype", sorted(TOLERANCES))
@pytest.mark.parametrize(("name", "reference", "attributes"), CALLS)
def test_values_and_gradients(name, reference, attributes, dtype):
    have = getattr(nd, name)(nd.array(X, dtype=dtype), **attributes)
    want = reference(X.astype(dtype).astype("float64"), **attributes)
    assert have.dtype == np.dtype(dtype)
    np.testing.assert_allclose(have.asnumpy(), want, TOLERANCES[dtype], TOLERANCES[dtype])
    if dtype == "float64":
        check_gradients(lambda x: getattr(nd, name)(x, **attributes), [X], order=2, rtol=1e-4)


def test_squares_that_overflow_float16():
    x = nd.array([[300.0, 400.0], [3e-5, 4e-5]], dtype="float16")
    y = nd.L2Normalization(x).asnumpy()
    np.testing.assert_allclose(y, [[0.6, 0.8]] * 2, 2e-2)
    assert np.isfinite(nd.LRN(x, nsize=3).asnumpy()).all()


def test_vectors_of_one_element():
    assert nd.L2Normalization(nd.array([3.0, -4.0])).asnumpy().tolist() == [1, -1]


@pytest.mark.parametrize("shape", [(0, 3, 2), (2, 0, 3), (2, 3, 0)])
@pytest.mark.parametrize(("name", "reference", "attributes"), CALLS[:4])
def test_empty_data(name, reference, attributes, shape):
    assert getattr(nd, name)(nd.ones(shape), **attributes).shape == shape


def test_invalid_arguments_raise():
    for mode in ("channel", "spatial"):
        with pytest.raises(ShapeError, match="at least 3 dimensions"):
            nd.L2Normalization(nd.ones((2, 3)), mode=mode)
    with pytest.raises(ShapeError, match="at least 2 dimensions"):
        nd.LRN(nd.ones((3,)), nsize=3)
    with pytest.raises(AttributeValueError, match="nsize"):
        nd.LRN(nd.ones((2, 3)), nsize=0)
