"""MXNet's functions around operators: ``nd.split_v2``, ``nd.histogram`` and those of symbols."""

from typing import Any

import numpy as np

from opforge.plugin_api import F, sym

__all__ = ["histogram", "split_v2", "symbol_histogram", "symbol_split_v2"]


def split_v2(ary: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Any:
    """Split an array into parts along an axis.

    Parameters
    ----------
    ary : NDArray
    indices_or_sections : int or tuple of int
        Number of equal parts, or the indices before which the array is split.
    axis : int, default 0
    squeeze_axis : bool, default False
        Whether to remove the axis; all parts must have length 1.

    Returns
    -------
    list of NDArray
        A single array if there is only one part.

    Raises
    ------
    ValueError
        The array cannot be split into equal parts.

    Examples
    --------
    >>> from opforge import nd
    >>> [part.asnumpy().tolist() for part in nd.split_v2(nd.array([1, 2, 3, 4]), 2)]
    [[1.0, 2.0], [3.0, 4.0]]
    """
    indices, sections = _parts(indices_or_sections)
    if sections and ary.shape[axis] % sections:
        raise ValueError(
            f"split_v2: axis {axis} of shape {ary.shape} cannot be split into {sections} equal "
            "parts; pass a tuple of indices"
        )
    return F._internal._split_v2(ary, indices, axis, squeeze_axis, sections)


def symbol_split_v2(
    ary: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Return the symbol of `split_v2`.

    Parameters
    ----------
    ary : Symbol
    indices_or_sections : int or tuple of int
        Number of parts, or the indices before which the array is split. If the length is not
        divisible by the number, the first parts are longer by one.
    axis : int, default 0
    squeeze_axis : bool, default False
        Whether to remove the axis; all parts must have length 1.
    """
    indices, sections = _parts(indices_or_sections)
    return sym._internal._split_v2(ary, indices, axis, squeeze_axis, sections)


def _parts(indices_or_sections: Any) -> tuple[tuple[int, ...], int]:
    """Return the first index of each part, or the number of parts."""
    if isinstance(indices_or_sections, int) and indices_or_sections > 0:
        return (), indices_or_sections
    if isinstance(indices_or_sections, tuple):
        return (0, *indices_or_sections), 0
    raise ValueError(
        f"split_v2: indices_or_sections is {indices_or_sections!r}; expected a positive integer or "
        "a tuple of integers"
    )


def histogram(a: Any, bins: Any = 10, range: tuple[float, float] | None = None) -> Any:
    """Return the histogram of all elements.

    Parameters
    ----------
    a : NDArray
    bins : int or NDArray, default 10
        Number of intervals of equal width, or the edges in ascending order.
    range : tuple of float, optional
        First and last edge for a number of intervals; by default, the smallest and the largest
        element.

    Returns
    -------
    counts : NDArray
        In int64; in float32 without edges and `range`, as in MXNet.
    edges : NDArray

    Examples
    --------
    >>> from opforge import nd
    >>> counts, edges = nd.histogram(nd.array([1, 2, 2, 4]), bins=nd.array([0, 2, 5]))
    >>> counts.asnumpy().tolist()
    [1, 3]
    """
    if isinstance(bins, F.NDArray):
        return F._internal._histogram(a, bins)
    _expect_number(bins)
    if range is not None:
        return F._internal._histogram(a, bin_cnt=bins, range=range)
    values = a.asnumpy()
    # Limits in float64: NumPy rounds the edges once.
    limits = (float(values.min()), float(values.max())) if values.size else None
    counts, edges = np.histogram(values, bins, limits)
    return F.array(counts, dtype="float32"), F.array(edges, dtype="float32")


def symbol_histogram(
    a: Any, bins: Any = 10, range: tuple[float, float] | None = None, **kwargs: Any
) -> Any:
    """Return the symbol of `histogram`.

    Parameters
    ----------
    a : Symbol
    bins : int or Symbol, default 10
        Number of intervals of equal width, or the edges in ascending order.
    range : tuple of float, optional
        First and last edge; required for a number of intervals.
    **kwargs
        ``name`` and ``attr``.
    """
    if isinstance(bins, sym.Symbol):
        return sym._internal._histogram(a, bins, **kwargs)
    _expect_number(bins)
    if range is None:
        raise ValueError("histogram: range is None; symbols need the first and the last edge")
    return sym._internal._histogram(a, bin_cnt=bins, range=range, **kwargs)


def _expect_number(bins: Any) -> None:
    if not isinstance(bins, int | np.integer):
        raise ValueError(f"histogram: bins is {bins!r}; expected an integer, or an array of edges")


#: Functions by module of opforge.
ALIASES = {
    "ndarray": {name: f"{__name__}:{name}" for name in ("histogram", "split_v2")},
    "ndarray.contrib": {"rand_zipfian": f"{__package__}.zipfian:rand_zipfian"},
    "symbol": {name: f"{__name__}:symbol_{name}" for name in ("histogram", "split_v2")},
    "symbol.contrib": {"rand_zipfian": f"{__package__}.zipfian:symbol_rand_zipfian"},
}
