import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from opforge import autograd, nd, sym
from opforge.gluon import HybridBlock

AXES = [None, 0, -1, (0, 2), (1,)]


def of_numpy(name, x, axis, keepdims, **kwargs):
    return np.atleast_1d(getattr(np, name)(x, axis=axis, keepdims=keepdims, **kwargs))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("name", ["var", "std", "any", "all"])
def test_they_are_numpys(name, axis, keepdims):
    x = np.random.default_rng(1).integers(-1, 2, (2, 3, 4)).astype("float32")
    found = getattr(nd.array(x), name)(axis=axis, keepdims=keepdims)
    wanted = of_numpy(name, x, axis, keepdims)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5)
    there = getattr(sym.var("x"), name)(axis=axis, keepdims=keepdims).eval(x=nd.array(x))[0]
    np.testing.assert_array_equal(there.asnumpy(), found.asnumpy())


@given(hnp.arrays("float64", hnp.array_shapes(max_dims=3), elements=st.floats(-1e3, 1e3)))
def test_the_spread_of_anything(x):
    np.testing.assert_allclose(nd.array(x, dtype="float64").var().item(), x.var(), atol=1e-7)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("ddof", [0, 1])
def test_degrees_of_freedom(ddof, axis):
    x = np.array([[1.0, 2, 4], [3, 7, 7]], "float32")
    found = nd.array(x).std(axis=axis, ddof=ddof)
    np.testing.assert_allclose(
        found.asnumpy(), of_numpy("std", x, axis, False, ddof=ddof), rtol=1e-6
    )


@pytest.mark.parametrize("ddof", [2, 3])
def test_where_no_degree_of_freedom_is_left_nothing_is_known(ddof):
    assert np.isnan(nd.array([[1, 2], [3, 7]]).var(axis=0, ddof=ddof).asnumpy()).all()


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "bool"])
def test_the_spread_of_integers_has_fractions(dtype):
    x = np.array([0, 1, 1, 1]).astype(dtype)
    found = nd.array(x, dtype=dtype).var()
    assert found.dtype is np.float64 and found.item() == x.var()


@pytest.mark.parametrize("dtype", ["float16", "uint8", "int8", "bool"])
def test_truth_of_many_elements_is_not_lost_in_small_types(dtype):
    x = nd.ones(65_536, dtype=dtype)
    assert x.any().dtype is np.bool_ and x.any() and x.all()
    x[7] = 0
    assert x.any() and not x.all()


def test_any_and_all_of_empty_arrays_and_nan():
    nothing = nd.zeros((0, 2))
    assert not nothing.any() and nothing.all()
    assert nothing.all(axis=0).tolist() == [True, True]
    assert nd.array([float("nan")]).all()


def test_gradients_flow_through_the_spread():
    x = nd.array([1, 2, 6])
    x.attach_grad()
    with autograd.record():
        y = x.var()
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 2 / 3 * (x.asnumpy() - 3), rtol=1e-6)


def test_a_hybridized_block_divides_by_other_numbers_too():
    class Spread(HybridBlock):
        def hybrid_forward(self, F, x):
            return x.std(axis=1, ddof=1)

    block, x = Spread(), nd.array([[1, 3, 5, 7], [0, 0, 0, 1]])
    eager = block(x).asnumpy()
    block.hybridize()
    np.testing.assert_allclose(block(x).asnumpy(), eager, rtol=1e-6)
    np.testing.assert_allclose(eager, x.asnumpy().std(1, ddof=1), rtol=1e-6)
    with pytest.raises(AttributeError, match="has no shape"):
        sym.var("x").var(ddof=1)
