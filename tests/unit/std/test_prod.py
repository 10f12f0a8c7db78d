"""Products: their gradients if elements are 0, not a number, or too large to divide by."""

import itertools

import numpy as np
import pytest

from opforge import autograd, gluon, nd, sym

ATTRIBUTES = [
    {},
    {"axis": 1},
    {"axis": (0, 2)},
    {"axis": -1, "keepdims": True},
    {"axis": (1,), "exclude": True},
    {"axis": (0, 1), "exclude": True, "keepdims": True},
    {"axis": (0, 1, 2), "exclude": True},
]


def axes_of(axis=None, keepdims=False, exclude=False):
    named = {0, 1, 2} if axis is None else {a % 3 for a in np.atleast_1d(axis)}
    return sorted({0, 1, 2} - named if exclude else named)


def products_of_others(x, **attributes):
    """Return the gradient of the sum of products by its definition."""
    axes = axes_of(**attributes)
    grad = np.empty_like(x)
    for at in np.ndindex(x.shape):
        rest = x.copy()
        rest[at] = 1
        row = tuple(slice(None) if a in axes else at[a] for a in range(3))
        grad[at] = rest[row].prod()
    return grad


def with_zeros(count):
    """Return an array with `count` zeros in its first rows along every axis."""
    x = np.random.default_rng(3).integers(1, 4, (2, 3, 4)).astype(np.float64)
    x.reshape(-1)[[0, 1, 13][:count]] = 0
    return x


def gradient_of(call, x):
    x.attach_grad()
    with autograd.record():
        y = call(x)
    y.backward()
    return x.grad.asnumpy()


@pytest.mark.parametrize("attributes", ATTRIBUTES, ids=str)
@pytest.mark.parametrize("zeros", range(4))
@pytest.mark.parametrize("name", ["prod", "nanprod"])
def test_an_element_has_the_product_of_the_others(name, zeros, attributes):
    x = with_zeros(zeros)
    call = getattr(nd, name)
    expected = products_of_others(x, **attributes)
    for dtype, rtol in (("float32", 1e-6), ("float64", 1e-14)):
        found = gradient_of(lambda x: call(x, **attributes), nd.array(x, dtype=dtype))
        np.testing.assert_allclose(found, expected, rtol, err_msg=dtype)
    small = np.where(x > 2, 1, x)  # products of float16
    found = gradient_of(lambda x: call(x, **attributes), nd.array(small, dtype="float16"))
    np.testing.assert_allclose(found, products_of_others(small, **attributes), 1e-3)


@pytest.mark.parametrize("req", ["write", "add"])
@pytest.mark.parametrize("zeros", range(3))
def test_graphs_and_arrays_agree(zeros, req):
    x = with_zeros(zeros).astype(np.float32)
    expected = products_of_others(x, axis=(1,)) * 2
    data = nd.array(x)
    before = nd.full(x.shape, 5)
    executor = sym.prod(sym.var("x") * 1.0, axis=1).bind(None, [data], [before], req)
    executor.forward(is_train=True)
    executor.backward(nd.full((2, 4), 2))
    np.testing.assert_allclose(before.asnumpy(), expected + 5 * (req == "add"), 1e-6)

    block = gluon.nn.HybridLambda(lambda F, x: F.prod(x, axis=1) * 2)
    block.hybridize()
    np.testing.assert_allclose(gradient_of(block, data), expected, 1e-6)


def test_nan_counts_as_one_only_in_nanprod():
    x = nd.array([2, np.nan, 0, 5])
    assert gradient_of(nd.nanprod, x).tolist() == [0, 0, 10, 0]
    assert gradient_of(nd.nanprod, nd.array([2, np.nan, 3])).tolist() == [3, 0, 2]
    found = gradient_of(nd.prod, x)
    assert np.isnan(found[[0, 2, 3]]).all() and found[1] == 0


def test_products_out_of_range_have_gradients_in_range():
    assert gradient_of(nd.prod, nd.array([1e30, 1e30, 1e-30])).tolist()[:2] == pytest.approx([1, 1])
    tiny = np.float32(1e-30)
    assert gradient_of(nd.prod, nd.array([tiny, tiny])).tolist() == [tiny, tiny]
    assert gradient_of(nd.prod, nd.array([0, np.inf])).tolist() == [np.inf, 0]


def test_nothing_and_one_element():
    assert gradient_of(lambda x: nd.prod(x, axis=0), nd.zeros((0, 3))).shape == (0, 3)
    assert gradient_of(lambda x: nd.prod(x, axis=1), nd.zeros((3, 1))).tolist() == [[1], [1], [1]]
    assert gradient_of(nd.prod, nd.array([0, 3], dtype="int32")).tolist() == [3, 0]


@pytest.mark.parametrize("zeros", range(4))
@pytest.mark.parametrize("name", ["prod", "nanprod"])
def test_second_gradients(name, zeros):
    values = np.array([2.0, 3, 5, 7])
    values[:zeros] = 0
    weight = np.array([1.0, 10, 100, 1000])
    x = nd.array(values, dtype="float64")
    x.attach_grad()
    with autograd.record():
        (slope,) = autograd.grad(getattr(nd, name)(x), [x], create_graph=True)
        total = (slope * nd.array(weight, dtype="float64")).sum()
    total.backward()
    expected = np.zeros(4)
    for i, j in itertools.permutations(range(4), 2):
        expected[j] += weight[i] * np.delete(values, [i, j]).prod()
    np.testing.assert_allclose(x.grad.asnumpy(), expected)
