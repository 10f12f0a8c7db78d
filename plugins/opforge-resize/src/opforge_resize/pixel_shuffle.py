"""Pixel shuffle layers, which enlarge images by rearranging channels (`gluon.contrib.nn`)."""

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any, ClassVar

from opforge.plugin_api import HybridBlock


class _PixelShuffle(HybridBlock):
    """Base class: rearrange channels into `factor` times as many elements along each axis."""

    _axes: ClassVar[int]

    def __init__(self, factor: int | Sequence[int]) -> None:
        super().__init__()
        numbers = list(factor) if isinstance(factor, Sequence) else [factor] * self._axes
        if len(numbers) != self._axes or any(index(number) < 1 for number in numbers):
            raise ValueError(
                f"{type(self).__name__}: factor is {factor!r}; expected a positive integer, or one "
                f"for each of {self._axes} axes"
            )
        self._factors = tuple(index(number) for number in numbers)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the image, shape (n, channels / product of the factors, ...)."""
        axes, factors = self._axes, self._factors
        kept = (0,) * axes
        x = x.reshape((0, -4, -1, prod(factors), *kept))
        for at in range(axes - 1):
            split = (-4, factors[at], prod(factors[at + 1 :]))
            x = x.reshape((0, 0, *kept[:at], *split, *kept))
        pairs = [axis for at in range(axes) for axis in (2 + axes + at, 2 + at)]
        return F.transpose(x, axes=(0, 1, *pairs)).reshape((0, 0, *(-3,) * axes))

    def __repr__(self) -> str:
        shown = self._factors if self._axes > 1 else self._factors[0]
        return f"{type(self).__name__}({shown})"


class PixelShuffle1D(_PixelShuffle):
    """Rearrange groups of channels along the width: (n, f * c, w) becomes (n, c, f * w).

    Parameters
    ----------
    factor : int, or sequence of 1 int
        Factor of the width.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> x = nd.array([[[1, 2], [3, 4]]])
    >>> gluon.contrib.nn.PixelShuffle1D(2)(x).asnumpy().tolist()
    [[[1.0, 3.0, 2.0, 4.0]]]
    """

    _axes = 1


class PixelShuffle2D(_PixelShuffle):
    """Rearrange groups of channels into blocks of pixels.

    (n, f1 * f2 * c, h, w) becomes (n, c, f1 * h, f2 * w).

    Parameters
    ----------
    factor : int, or sequence of 2 int
        Factors of height and width.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.contrib.nn.PixelShuffle2D((2, 3))(nd.zeros((1, 12, 3, 5))).shape
    (1, 2, 6, 15)
    """

    _axes = 2


class PixelShuffle3D(_PixelShuffle):
    """Rearrange groups of channels into blocks of a volume.

    (n, f1 * f2 * f3 * c, d, h, w) becomes (n, c, f1 * d, f2 * h, f3 * w).

    Parameters
    ----------
    factor : int, or sequence of 3 int
        Factors of depth, height and width.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> gluon.contrib.nn.PixelShuffle3D((2, 3, 4))(nd.zeros((1, 48, 3, 5, 7))).shape
    (1, 2, 6, 15, 28)
    """

    _axes = 3
