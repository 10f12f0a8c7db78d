"""`_winograd_weight`: filters as Winograd's convolution on blocks multiplies by them."""

from typing import Any

from opforge.plugin_api import OperatorProp, ShapeError

from .operators import LIBRARY

#: Points, their squares and what interpolation divides by: as in kernels/winograd_transforms.h.
_A, _B = 0.625, 1.5
_AA, _BB = _A * _A, _B * _B
_OF_A, _OF_B = 1 / (2 * _AA * (_AA - _BB)), 1 / (2 * _BB * (_BB - _AA))


class WinogradWeight(OperatorProp):
    """Transform filters of 3x3 for the blocked form of Convolution that multiplies as Winograd's.

    Graphs compute it once for weights that stay as they are.
    """

    name = "_winograd_weight"
    category = "linear"
    arguments = ("weight",)
    argument_docs = {"weight": "(filters, channels, 3, 3); floating"}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of a matrix of channels and lanes for each vector and point."""
        weight, lanes = tuple(in_shape[0]), LIBRARY.LANES
        if not weight:
            return [weight], [weight], []
        if len(weight) != 4 or weight[2:] != (3, 3) or weight[0] % lanes:
            raise ShapeError(
                f"weight has shape {weight}, expected (filters, channels, 3, 3) with a multiple "
                f"of {lanes} filters"
            )
        return [weight], [(weight[0] // lanes, 36, weight[1], lanes)], []

    def compose(self, F: Any, weight: Any) -> Any:
        """Take the values of the filters' polynomials, and put the filters of a vector last."""
        ((vectors, points, channels, lanes),) = self.infer_shape([weight.shape])[1]
        values = _values(F, _values(F, weight, 2), 3)
        values = F.reshape(values, shape=(vectors, lanes, channels, points))
        return F.transpose(values, axes=(0, 3, 2, 1))


def _values(F: Any, taps: Any, axis: int) -> Any:
    """Return the values of polynomials of three taps at 0, +-5/8, +-3/2 and infinity."""
    first, second, third = (
        F.slice_axis(taps, axis=axis, begin=tap, end=tap + 1) for tap in range(3)
    )
    even_a, odd_a = (first + third * _AA) * _OF_A, second * (_A * _OF_A)
    even_b, odd_b = (first + third * _BB) * _OF_B, second * (_B * _OF_B)
    found = (even_a + odd_a, even_a - odd_a, even_b + odd_b, even_b - odd_b)
    return F.concat(first * (1 / (_AA * _BB)), *found, third, dim=axis)
