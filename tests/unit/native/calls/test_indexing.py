"""Slices gathered and scattered against NumPy: every type, mode and request."""

import numpy as np
import pytest

from opforge.base.dtypes import NAMES
from opforge.base.errors import DTypeError, ShapeError
from opforge.native.calls import indexing as kernels

from ..arrays import array_of, integers


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_take(dtype, axis, mode):
    x = integers((4, 5, 6), dtype)
    index = np.array([[0, 3, -7], [9, 1, 2]])
    want = np.take(x, index, axis, mode=mode)
    out = array_of(np.zeros_like(want))
    kernels.take(array_of(x), array_of(index.astype(np.float32)), out, axis, mode)
    np.testing.assert_array_equal(out.asnumpy(), want)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("req", ["write", "add", "null"])
@pytest.mark.parametrize("count", [0, 1, 7, 5000])
def test_take_grad(axis, req, count):
    shape = [4, 5, 6]
    index = np.random.default_rng(0).integers(0, shape[axis], count)
    dy_shape = [*shape[:axis], count, *shape[axis + 1 :]]
    dy, old = integers(dy_shape), integers(shape, seed=1)
    want = np.zeros(shape, np.float32)
    np.add.at(np.moveaxis(want, axis, 0), index, np.moveaxis(dy, axis, 0))
    want = {"add": old + want, "null": old}.get(req, want)
    out = array_of(old)
    kernels.take_grad(array_of(dy), array_of(index), out, axis, "clip", req)
    np.testing.assert_array_equal(out.asnumpy(), want)


@pytest.mark.parametrize("req", ["write", "add"])
def test_float16_is_summed_in_float32(req):
    old = np.full((2, 3), 8, np.float16)
    out = array_of(old.copy())
    kernels.take_grad(
        array_of(np.ones((5000, 3), np.float16)),
        array_of(np.zeros(5000, np.int64)),
        out,
        0,
        "clip",
        req,
    )
    start = old * (req == "add")
    np.testing.assert_array_equal(out.asnumpy(), start + [[5000], [0]])


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool"])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_gather_nd_and_scatter_nd(dtype, m):
    x = integers((4, 5, 6), dtype)
    rng = np.random.default_rng(1)
    index = np.stack([rng.permutation(4)[:3] for _ in range(m)])
    want = x[tuple(index)]
    out = array_of(np.zeros_like(want))
    kernels.gather_nd(array_of(x), array_of(index), out)
    np.testing.assert_array_equal(out.asnumpy(), want)
    back, expected = array_of(x), np.zeros_like(x)
    expected[tuple(index)] = want
    for accumulate in (True, False):
        kernels.scatter_nd(out, array_of(index), back, "write", accumulate)
        np.testing.assert_array_equal(back.asnumpy(), expected)


def test_scatter_nd_adds_at_equal_indices():
    src, index = np.ones((4, 3), np.float32), np.array([[1, 1, 0, -1]])
    out = array_of(np.full((2, 3), 5, np.float32))
    kernels.scatter_nd(array_of(src), array_of(index), out, "add")
    np.testing.assert_array_equal(out.asnumpy(), [[6] * 3, [8] * 3])


def test_errors_name_argument_and_numbers():
    x = array_of(np.zeros((3, 2), np.float32))
    index = array_of(np.array([0, 5]))
    with pytest.raises(ShapeError, match=r"take: 'out' has shape \(3, 2\), expected \(2, 2\)"):
        kernels.take(x, index, x)
    with pytest.raises(DTypeError, match="expected float32"):
        kernels.take(x, index, array_of(np.zeros((2, 2))))
