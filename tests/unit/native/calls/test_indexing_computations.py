"""Take and TakeGrad against NumPy, and their errors."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import IndexRangeError, OpforgeError, ShapeError
from opforge.native.calls.indexing_computations import Take, TakeGrad

X = np.arange(60.0, dtype="float32").reshape(3, 4, 5)
INDEX = np.array([[2, 0], [1, 2]])


def run(computation, inputs, shape, req="write"):
    out = nd.full(shape, 7)
    computation([nd.array(x, dtype=x.dtype) for x in inputs], [out], [req])
    return out.asnumpy()


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_slices_and_their_sums(axis):
    want = X.take(INDEX, axis)
    np.testing.assert_array_equal(run(Take(axis), [X, INDEX], want.shape), want)
    first = Take(axis, indices_first=True)
    np.testing.assert_array_equal(run(first, [INDEX, X], want.shape, "add"), want + 7)
    sums = np.zeros_like(X)
    np.add.at(
        np.moveaxis(sums, axis, 0), INDEX, np.moveaxis(want, (axis % 3, axis % 3 + 1), (0, 1))
    )
    np.testing.assert_array_equal(run(TakeGrad(axis), [want, X, INDEX], X.shape), sums)


def test_single_element_has_shape_1():
    assert run(Take(), [X[0, 0], np.array(3)], (1,)).tolist() == [3.0]
    assert run(TakeGrad(), [X[0, 0, 2:3], X[0, 0], np.array(3)], (5,)).tolist() == [0, 0, 0, 2, 0]


def test_invalid_arguments_are_rejected():
    with pytest.raises(ShapeError, match=r"Take: axis 3 is out of bounds for .* \(3, 4, 5\)"):
        run(Take(3), [X, INDEX], (2, 2))
    with pytest.raises(ShapeError, match=r"'out' has shape \(2, 2\), expected \(2, 2, 4, 5\)"):
        run(Take(), [X, INDEX], (2, 2))
    with pytest.raises(ShapeError, match=r"'grad' has shape \(2, 2\), expected \(2, 2, 4, 5\)"):
        run(TakeGrad(), [X[0, :2, :2], X, INDEX], X.shape)
    with pytest.raises(ShapeError, match="'out' has shape"):
        run(TakeGrad(), [X, X, INDEX], (3, 4))
    with pytest.raises(OpforgeError, match="takes 2 inputs"):
        run(Take(), [X], (3,))
    with pytest.raises(IndexRangeError, match="index 3"):
        run(Take(mode="raise"), [X, INDEX + 1], (2, 2, 4, 5))
