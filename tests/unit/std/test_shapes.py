"""Shape rules: reshape codes as MXNet documents them, reductions, slices."""

import numpy as np
import pytest

from opforge.base.errors import ShapeError
from opforge.std._shapes import (
    axis_index,
    broadcast_shapes,
    kept_axes,
    reduced_shape,
    reduction_axes,
    reshaped,
    slice_bounds,
)


@pytest.mark.parametrize(
    ("shape", "codes", "reverse", "want"),
    [
        # the examples in MXNet's documentation of Reshape
        ((2, 3, 4), (4, 0, 2), False, (4, 3, 2)),
        ((2, 3, 4), (2, 0, 0), False, (2, 3, 4)),
        ((2, 3, 4), (6, 1, -1), False, (6, 1, 4)),
        ((2, 3, 4), (3, -1, 8), False, (3, 1, 8)),
        ((2, 3, 4), (-1,), False, (24,)),
        ((2, 3, 4), (-2,), False, (2, 3, 4)),
        ((2, 3, 4), (2, -2), False, (2, 3, 4)),
        ((2, 3, 4), (-2, 1, 1), False, (2, 3, 4, 1, 1)),
        ((2, 3, 4), (-3, 4), False, (6, 4)),
        ((2, 3, 4, 5), (-3, -3), False, (6, 20)),
        ((2, 3, 4), (0, -3), False, (2, 12)),
        ((2, 3, 4), (-3, -2), False, (6, 4)),
        ((2, 3, 4), (-4, 1, 2, -2), False, (1, 2, 3, 4)),
        ((2, 3, 4), (2, -4, -1, 3, -2), False, (2, 1, 3, 4)),
        ((10, 5, 4), (-1, 0), False, (40, 5)),
        ((10, 5, 4), (-1, 0), True, (50, 4)),
        ((8, 3), (-4, 2, -1, 0), True, (2, 4, 3)),
        ((8, 3), (-4, -1, 2, 0), True, (4, 2, 3)),
        ((), (1, 1), False, (1, 1)),
        ((1,), (), False, ()),
        ((0, 3), (0, 0), False, (0, 3)),
        ((0, 3), (-1, 3), False, (0, 3)),
    ],
)
def test_reshape_codes(shape, codes, reverse, want):
    assert reshaped("reshape", shape, codes, reverse) == want


@pytest.mark.parametrize(
    ("shape", "codes"),
    [
        ((2, 3), (4,)),
        ((2, 3), (-1, 4)),
        ((2, 3), (-1, -1)),
        ((2, 3), (0, 0, 0)),
        ((2, 3), (0, -3)),
        ((2, 3), (-4, 2)),
        ((4,), (-4, 3, -1)),
        ((2, 3), (-5, 6)),
        ((6,), ()),
    ],
)
def test_reshape_codes_that_do_not_fit(shape, codes):
    with pytest.raises(ShapeError, match="operator 'reshape'"):
        reshaped("reshape", shape, codes)


def test_axis_index():
    assert [axis_index("f", axis, 2) for axis in (0, 1, -1, -2)] == [0, 1, 1, 0]
    for axis in (2, -3):
        with pytest.raises(ShapeError, match=f"axis {axis} is out of bounds for 2 dimensions"):
            axis_index("f", axis, 2)


def test_reduction_axes():
    assert reduction_axes("sum", None, 3) == reduction_axes("sum", (), 3) == (0, 1, 2)
    assert reduction_axes("sum", (-1, 0), 3) == (0, 2)
    assert reduction_axes("sum", (1,), 3, exclude=True) == (0, 2)
    with pytest.raises(ShapeError, match="twice"):
        reduction_axes("sum", (0, -3), 3)


def test_reduced_shapes():
    assert reduced_shape((2, 3), (0,), False) == (3,)
    assert reduced_shape((2, 3), (0, 1), False) == (1,)
    assert reduced_shape((2, 3), (0, 1), True) == kept_axes((2, 3), (0, 1)) == (1, 1)
    assert reduced_shape((), (), False) == ()


@pytest.mark.parametrize(
    ("a", "b"), [((2, 1), (3,)), ((), (2,)), ((4, 1, 3), (1, 5, 1)), ((0,), (1,))]
)
def test_broadcast_shapes(a, b):
    assert broadcast_shapes("f", a, b) == np.broadcast_shapes(a, b)


def test_broadcast_shapes_that_do_not_fit():
    with pytest.raises(ShapeError, match=r"could not be broadcast .* \(2, 3\) \(2,\)"):
        broadcast_shapes("f", (2, 3), (2,))


@pytest.mark.parametrize(
    "bounds", [(1, 3, 1), (None, None, -1), (-2, None, 2), (4, 0, -2), (9, 12, 1)]
)
def test_slice_bounds_are_pythons(bounds):
    begin, end, step = bounds
    (first,), (by,), (count,) = slice_bounds("slice", (5,), (begin,), (end,), (step,))
    want = list(range(5))[slice(*bounds)]
    assert [first + i * by for i in range(count)] == want


def test_slice_bounds_errors():
    with pytest.raises(ShapeError, match="step cannot be zero"):
        slice_bounds("slice", (5,), (0,), (1,), (0,))
    for begin, end, step in (((0,), (1, 2), ()), ((0, 0), (1, 1), ()), ((0,), (1,), (1, 1))):
        with pytest.raises(ShapeError, match="do not fit"):
            slice_bounds("slice", (5,), begin, end, step)
