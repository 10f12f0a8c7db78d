"""Elementwise inference fills all unknown shapes from the known ones."""

import numpy as np
import pytest

from opforge.base.errors import DTypeError, ShapeError
from opforge.op.nnvm import NodeAttrs, elemwise_shape, elemwise_type

ATTRS = NodeAttrs("op")


@pytest.mark.parametrize(
    ("inputs", "outputs", "shape"),
    [
        ([(2, 3), ()], [()], (2, 3)),
        ([(), ()], [(2, 3)], (2, 3)),
        ([(2, 0), (0, 3)], [()], (2, 3)),
        ([[2, 3], None], [()], (2, 3)),
    ],
)
def test_shapes_in_both_directions(inputs, outputs, shape):
    assert elemwise_shape(2, 1)(ATTRS, inputs, outputs) is True
    assert (inputs, outputs) == ([shape, shape], [shape])


@pytest.mark.parametrize("inputs", [[(), ()], [(2, 0), ()]])
def test_incomplete_shapes_return_false(inputs):
    assert elemwise_shape(2, 1)(ATTRS, inputs, [()]) is False


@pytest.mark.parametrize("other", [(2, 4), (2,), (2, 3, 1)])
def test_shapes_that_differ_are_rejected(other):
    with pytest.raises(ShapeError, match=r"operator 'op': .* got \(2, 3\) and"):
        elemwise_shape(2, 1)(ATTRS, [(2, 3), other], [()])


def test_types_in_both_directions():
    inputs, outputs = [None, None], [np.float64]
    assert elemwise_type(2, 1)(ATTRS, inputs, outputs) is True
    assert inputs == [np.float64, np.float64]
    assert elemwise_type(1, 1)(ATTRS, [None], [None]) is False


def test_types_that_differ_are_rejected():
    with pytest.raises(DTypeError, match="got float32, float64"):
        elemwise_type(2, 1)(ATTRS, [np.float32, np.float64], [None])


@pytest.mark.parametrize("make", [elemwise_shape, elemwise_type])
def test_wrong_numbers_are_rejected(make):
    with pytest.raises(ShapeError, match=r"has 1 inputs and 1 outputs, but .* 2 and 1"):
        make(2, 1)(ATTRS, [None], [None])
