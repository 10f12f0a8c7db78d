"""Division of an axis into lanes against NumPy, on every element type and many shapes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import nd
from opforge.base.dtypes import NAMES
from opforge.base.errors import AttributeValueError, DTypeError, OpforgeError, ShapeError
from opforge.plugin_api import kernels


def blocked(values, axis, lanes):
    shape = (*values.shape[:axis], values.shape[axis] // lanes, lanes, *values.shape[axis + 1 :])
    return np.ascontiguousarray(np.moveaxis(values.reshape(shape), axis + 1, -1))


def run(computation, values, like):
    out = nd.array(np.full(like.shape, 3), dtype=like.dtype)
    computation([nd.array(values, dtype=values.dtype)], [out], ["write"])
    return out.asnumpy()


@settings(max_examples=60)
@given(
    outer=st.lists(st.integers(0, 4), max_size=2),
    groups=st.integers(0, 5),
    lanes=st.sampled_from([1, 2, 3, 4, 7, 8, 16, 17, 32, 40]),
    inner=st.lists(st.sampled_from([0, 1, 2, 5, 15, 16, 17, 33]), max_size=2),
    dtype=st.sampled_from(NAMES),
)
def test_block_and_unblock_match_numpy(outer, groups, lanes, inner, dtype):
    shape = (*outer, groups * lanes, *inner)
    values = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    axis = len(outer)
    divided = blocked(values, axis, lanes)
    np.testing.assert_array_equal(run(kernels.Block(axis), values, divided), divided)
    np.testing.assert_array_equal(run(kernels.Unblock(axis), divided, values), values)


@pytest.mark.parametrize("lanes", [8, 16])
def test_large_arrays_are_copied_by_several_threads(lanes):
    values = np.arange(3 * 64 * 57 * 59, dtype=np.float32).reshape(3, 64, 57, 59)
    divided = blocked(values, 1, lanes)
    np.testing.assert_array_equal(run(kernels.Block(1), values, divided), divided)
    np.testing.assert_array_equal(run(kernels.Unblock(1), divided, values), values)


def test_results_can_be_added():
    x, out = nd.array([[1, 2, 3, 4]]), nd.ones((1, 2, 2))
    kernels.Block(1)([x], [out], ["add"])
    assert out.asnumpy().tolist() == [[[2, 3], [4, 5]]]


@pytest.mark.parametrize(
    ("shape", "out"),
    [
        ((2, 8), (2, 8)),
        ((2, 8), (2, 2, 3)),
        ((2, 8), (2, 4, 4)),
        ((2, 8), (3, 2, 4)),
        ((8,), (2, 4)),
    ],
)
def test_mismatched_shapes_are_rejected(shape, out):
    plain, divided = nd.ones(shape), nd.ones(out)
    with pytest.raises(ShapeError, match="Block"):
        kernels.Block(1)([plain], [divided], ["write"])
    with pytest.raises(ShapeError, match="Unblock"):
        kernels.Unblock(1)([divided], [plain], ["write"])


def test_invalid_arguments_are_rejected():
    with pytest.raises(DTypeError, match="float64"):
        kernels.Block(0)([nd.ones(4)], [nd.ones((2, 2), dtype="float64")], ["write"])
    with pytest.raises(AttributeValueError, match="axis is -1"):
        kernels.Block(-1)
    with pytest.raises(OpforgeError, match="takes 1 inputs"):
        kernels.Block(0)([nd.ones(4)] * 2, [nd.ones((2, 2))], ["write"])
