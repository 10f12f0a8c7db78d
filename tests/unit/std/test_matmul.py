import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from opforge import autograd, nd, sym
from opforge.base.errors import ShapeError

SHAPES = [
    ((2, 3), (3, 4)),
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
]


def draw(*shapes):
    rng = np.random.default_rng(3)
    return [rng.standard_normal(shape).astype("float64") for shape in shapes]


def swapped(x):
    return x.swapaxes(-1, -2) if x.ndim > 1 else x


def gradients(a, b, dy):
    """Return the gradients as einsum sums them, over the axes of length 1 too."""
    a2 = a.reshape(1, -1) if a.ndim == 1 else a
    b2 = b.reshape(-1, 1) if b.ndim == 1 else b
    dy2 = dy.reshape((a2 @ b2).shape)
    found = []
    for x, grad in ((a2, dy2 @ swapped(b2)), (b2, swapped(a2) @ dy2)):
        lead = tuple(range(grad.ndim - x.ndim))
        grad = grad.sum(lead)
        kept = tuple(axis for axis, n in enumerate(x.shape) if n == 1 and grad.shape[axis] != 1)
        found.append(grad.sum(kept, keepdims=True))
    return found[0].reshape(a.shape), found[1].reshape(b.shape)


@pytest.mark.parametrize("shapes", SHAPES)
def test_products_and_gradients_are_numpys(shapes):
    a, b = draw(*shapes)
    x, y = (nd.array(v, dtype="float64") for v in (a, b))
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = nd.matmul(x, y)
    wanted = np.atleast_1d(a @ b)
    assert z.shape == wanted.shape
    np.testing.assert_allclose(z.asnumpy(), wanted, rtol=1e-12, atol=1e-12)
    (dy,) = draw(wanted.shape)
    z.backward(nd.array(dy, dtype="float64"))
    for found, grad in zip((x.grad, y.grad), gradients(a, b, dy), strict=True):
        np.testing.assert_allclose(found.asnumpy(), grad, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("ta, tb", [(False, True), (True, False), (True, True)])
@pytest.mark.parametrize("shapes", SHAPES)
def test_matrices_may_be_read_transposed(shapes, ta, tb):
    a, b = draw(*shapes)
    x, y = (swapped(v).copy() if t else v for v, t in ((a, ta), (b, tb)))
    x, y = (nd.array(v, dtype="float64") for v in (x, y))
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = nd.matmul(x, y, transpose_a=ta, transpose_b=tb)
    np.testing.assert_allclose(z.asnumpy(), np.atleast_1d(a @ b), rtol=1e-12, atol=1e-12)
    (dy,) = draw(z.shape)
    z.backward(nd.array(dy, dtype="float64"))
    for found, grad, t in zip((x.grad, y.grad), gradients(a, b, dy), (ta, tb), strict=True):
        wanted = swapped(grad) if t else grad
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-12, atol=1e-12)


@given(st.data())
def test_whatever_numpy_multiplies(data):
    pair = data.draw(hnp.mutually_broadcastable_shapes(signature="(m?,k),(k,n?)->(m?,n?)"))
    a, b = draw(*pair.input_shapes)
    found = nd.matmul(nd.array(a, dtype="float64"), nd.array(b, dtype="float64"))
    assert found.shape == (np.matmul(a, b).shape or (1,))
    np.testing.assert_allclose(found.asnumpy(), np.atleast_1d(a @ b), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "int64", "uint8", "int8"])
def test_types(dtype):
    a, b = nd.ones((2, 3, 4), dtype=dtype), nd.ones((4, 2), dtype=dtype)
    for product in (nd.matmul(a, b), nd.matmul(a, nd.ones((2, 4, 2), dtype=dtype))):
        assert product.dtype is a.dtype and (product.asnumpy() == 4).all()


@pytest.mark.parametrize(
    "shapes", [((2, 3), (4, 5)), ((3,), (4,)), ((2, 2, 3), (3, 3, 4)), ((2, 3), (2,))]
)
def test_shapes_that_do_not_fit_are_told(shapes):
    with pytest.raises(ShapeError, match="matmul"):
        nd.matmul(*(nd.zeros(shape) for shape in shapes))


@pytest.mark.parametrize("shapes", [((), (3,)), ((2, 3), ()), ((), ())])
def test_single_numbers_are_rejected(shapes):
    with pytest.raises(ShapeError, match="without dimensions cannot be multiplied"):
        nd.zeros(shapes[0]) @ nd.zeros(shapes[1])


@pytest.mark.parametrize("shapes", SHAPES)
def test_the_sign_is_the_operator_on_arrays_and_in_graphs(shapes):
    a, b = draw(*shapes)
    arrays = {name: nd.array(v, dtype="float64") for name, v in (("a", a), ("b", b))}
    graph = sym.var("a", dtype="float64") @ sym.var("b", dtype="float64")
    executor = graph.simple_bind(
        None, a=a.shape, b=b.shape, type_dict=dict.fromkeys("ab", "float64")
    )
    executor.copy_params_from(arrays)
    (z,) = executor.forward(is_train=True)
    np.testing.assert_array_equal(z.asnumpy(), (arrays["a"] @ arrays["b"]).asnumpy())
    (dy,) = draw(z.shape)
    executor.backward(nd.array(dy, dtype="float64"))
    for name, grad in zip("ab", gradients(a, b, dy), strict=True):
        np.testing.assert_allclose(executor.grad_dict[name].asnumpy(), grad, atol=1e-12)
