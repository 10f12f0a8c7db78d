import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, ShapeError
from opforge.gluon.data import batchify
from opforge.gluon.data.batchify import default_batchify_fn


@pytest.mark.parametrize(
    ("samples", "shape", "dtype"),
    [
        ([1, 2], (2,), np.int64),
        ([1.5, 2], (2,), np.float64),
        ([True, False], (2,), np.bool_),
        ([np.float32(1)] * 3, (3,), np.float32),
        ([np.ones(2)] * 3, (3, 2), np.float64),
        ([np.ones((2, 1), np.float16)] * 3, (3, 2, 1), np.float16),
        ([[1, 2], [3, 4]], (2, 2), np.int64),
        ([nd.array([1], dtype="int8")] * 2, (2, 1), np.int8),
        ([nd.ones((2, 3))] * 4, (4, 2, 3), np.float32),
    ],
)
def test_default_keeps_the_type_that_numpy_or_the_array_has(samples, shape, dtype):
    batch = default_batchify_fn(samples)
    assert isinstance(batch, nd.NDArray)
    assert (batch.shape, batch.dtype) == (shape, dtype)
    expected = [s.asnumpy() if isinstance(s, nd.NDArray) else s for s in samples]
    np.testing.assert_array_equal(batch.asnumpy(), expected)


def test_default_transposes_tuples_at_any_depth():
    data, (one, two) = default_batchify_fn([(nd.ones((2,)), (1, 2)), (nd.zeros((2,)), (3, 4))])
    assert data.asnumpy().tolist() == [[1, 1], [0, 0]]
    assert [one.asnumpy().tolist(), two.asnumpy().tolist()] == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    "samples", [[nd.ones((1,)), nd.ones((2,))], [np.ones(1), np.ones(2)], [[1], [2, 3]]]
)
def test_default_names_the_differing_shapes(samples):
    with pytest.raises(ShapeError, match=r"\(1,\), \(2,\).*Pad"):
        default_batchify_fn(samples)


@pytest.mark.parametrize("samples", [["a", "b"], [np.uint16(1)], [None]])
def test_default_batchify_rejects_non_numbers(samples):
    with pytest.raises(DTypeError, match="AsList"):
        default_batchify_fn(samples)


def test_stack_is_the_default():
    assert batchify.Stack()([1, 2]).asnumpy().tolist() == [1, 2]


def test_pad():
    batch, lengths = batchify.Pad(val=-1, dtype="float32", ret_length=True)([[1, 2, 3], [4]])
    assert batch.dtype == np.float32
    assert batch.asnumpy().tolist() == [[1, 2, 3], [4, -1, -1]]
    assert lengths.asnumpy().tolist() == [3, 1]
    assert lengths.dtype == np.int32


def test_pad_on_every_axis_and_rounded():
    batch = batchify.Pad(round_to=4)([nd.ones((2, 5)), nd.ones((3, 1))])
    assert batch.shape == (2, 4, 8)
    assert batch.asnumpy().sum() == 13
    with pytest.raises(ShapeError, match="number of axes"):
        batchify.Pad()([np.ones(1), np.ones((1, 1))])


def test_append_and_as_list():
    first, second = batchify.Append()([[1, 2], [3]])
    assert (first.shape, second.shape) == ((1, 2), (1, 1))
    assert batchify.Append(expand=False)([np.ones(3)])[0].shape == (3,)
    assert batchify.AsList()(("a", "b")) == ["a", "b"]


def test_group():
    group = batchify.Group(batchify.Pad(), batchify.AsList())
    tokens, names = group([([1, 2], "x"), ([3], "y")])
    assert tokens.shape == (2, 2)
    assert names == ["x", "y"]
    assert batchify.Group([batchify.Stack()])([(1,), (2,)])[0].shape == (2,)
    with pytest.raises(ShapeError, match=r"2 functions.*\[1\] parts"):
        group([(1,), (2,)])
