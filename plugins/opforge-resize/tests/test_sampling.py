"""Grids and samplers: values, gradients, positions outside of images, rejected arguments."""

import numpy as np
import pytest
from opforge_resize import checks

from opforge import autograd, nd
from opforge.base.errors import DTypeError, ShapeError
from opforge.testing import check_gradients, check_ways

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4, 5))
#: Inside and around images, never exactly at a pixel.
POSITIONS = (RNG.integers(-1, 4, (2, 2, 3, 4)) + RNG.uniform(0.2, 0.8, (2, 2, 3, 4))) / 2 - 1
MAPS = np.array([[0.61, 0.17, 0.05, -0.13, 0.57, 0.03], [0.93, -0.11, 0.0, 0.07, 0.81, 0.02]])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_sampler(dtype):
    x, grid = X.astype(dtype), POSITIONS.astype(dtype)
    have = nd.BilinearSampler(nd.array(x, dtype=dtype), nd.array(grid, dtype=dtype))
    want = checks.sample(x.astype("float64"), grid.astype("float64"))
    tolerance = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
    np.testing.assert_allclose(have.asnumpy(), want, tolerance, 2 * tolerance)
    if dtype == "float64":
        check_gradients(nd.BilinearSampler, [x, grid], rtol=1e-4)
        check_ways(lambda F, *a: F.BilinearSampler(*a), [x, grid])


def test_positions_that_are_not_finite_or_far_outside():
    data = nd.ones((1, 2, 3, 3))
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 0.0], dtype="float32")
    grid = nd.array(np.stack([x, 0 * np.nan_to_num(x)]).reshape(1, 2, 1, 6))
    for item in (data, grid):
        item.attach_grad()
    with autograd.record():
        y = nd.BilinearSampler(data, grid)
    y.backward()
    np.testing.assert_array_equal(y.asnumpy()[0, 0, 0], [np.nan, 0, 0, 0, 0, 1])
    assert data.grad.asnumpy().sum() == 2
    assert np.isfinite(grid.grad.asnumpy()).all()


def test_one_gradient_of_two():
    arrays = [nd.array(a) for a in (X, POSITIONS)]
    grads = []
    for wanted in ([0, 1], [0], [1]):
        given = [a.copy() for a in arrays]
        for at in wanted:
            given[at].attach_grad()
        with autograd.record():
            y = nd.BilinearSampler(*given)
        y.backward()
        grads.append({at: given[at].grad.asnumpy() for at in wanted})
    for some in grads[1:]:
        for at, grad in some.items():
            np.testing.assert_array_equal(grad, grads[0][at])


def test_grids():
    affine = {"transform_type": "affine", "target_shape": (3, 4)}
    have = nd.GridGenerator(nd.array(MAPS, dtype="float64"), **affine).asnumpy()
    np.testing.assert_allclose(have, checks.grid(MAPS, **affine), 1e-9, 1e-12)
    flow = RNG.standard_normal((2, 2, 3, 4))
    have = nd.GridGenerator(nd.array(flow, dtype="float64"), transform_type="warp").asnumpy()
    np.testing.assert_allclose(have, checks.grid(flow, "warp"), 1e-9, 1e-12)
    check_gradients(lambda a: nd.GridGenerator(a, **affine), [MAPS], order=2)
    check_gradients(lambda a: nd.GridGenerator(a, transform_type="warp"), [flow], order=2)


def test_the_identity_map_returns_the_image():
    identity = nd.array([[1, 0, 0, 0, 1, 0]] * 2)
    attributes = {"target_shape": (4, 5), "transform_type": "affine", "sampler_type": "bilinear"}
    y = nd.SpatialTransformer(nd.array(X), identity, **attributes)
    np.testing.assert_allclose(y.asnumpy(), X, 1e-4, 1e-5)
    flow = nd.zeros((2, 2, 4, 5))
    y = nd.BilinearSampler(nd.array(X), nd.GridGenerator(flow, transform_type="warp"))
    np.testing.assert_allclose(y.asnumpy(), X, 1e-4, 1e-5)


@pytest.mark.parametrize("size", [(1, 1), (1, 3)])
def test_a_single_row_is_in_the_middle(size):
    identity = nd.array([[1, 0, 0, 0, 1, 0]])
    grid = nd.GridGenerator(identity, transform_type="affine", target_shape=size).asnumpy()
    assert grid[0, 1].tolist() == [[0.0] * size[1]]
    flow = nd.GridGenerator(nd.zeros((1, 2, *size)), transform_type="warp").asnumpy()
    assert np.isfinite(flow).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nd.BilinearSampler(nd.ones((2, 3)), nd.ones((2, 2, 2, 2))), "four dimensions"),
        (lambda: nd.BilinearSampler(nd.ones(X.shape), nd.ones((2, 3, 2, 2))), "expected"),
        (lambda: nd.BilinearSampler(nd.ones(X.shape), nd.ones((3, 2, 2, 2))), "expected"),
        (lambda: nd.BilinearSampler(nd.ones(X.shape), nd.ones((0, 2, 2, 2))), "grid"),
        (lambda: nd.GridGenerator(nd.ones((2, 5)), transform_type="affine"), r"expected \(n, 6\)"),
        (lambda: nd.GridGenerator(nd.ones((2, 6)), transform_type="affine"), "target_shape"),
        (lambda: nd.GridGenerator(nd.ones((2, 3, 4, 5)), transform_type="warp"), "a flow"),
        (
            lambda: nd.SpatialTransformer(
                *(nd.ones(X.shape), nd.ones((3, 6))),
                **{"target_shape": (2, 2), "transform_type": "affine", "sampler_type": "bilinear"},
            ),
            "SpatialTransformer|BilinearSampler",
        ),
    ],
)
def test_invalid_shapes_raise(call, message):
    with pytest.raises(ShapeError, match=message):
        call()


def test_integer_data_raises():
    with pytest.raises(DTypeError, match="astype"):
        nd.BilinearSampler(nd.ones(X.shape, dtype="int32"), nd.ones((2, 2, 2, 2), dtype="int32"))


def test_a_grid_larger_than_memory_raises():
    with pytest.raises(MemoryError, match="GridGenerator"):
        nd.GridGenerator(nd.ones((1, 6)), transform_type="affine", target_shape=(2**21, 2**21))
