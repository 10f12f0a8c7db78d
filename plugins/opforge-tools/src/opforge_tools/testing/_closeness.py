"""`assert_allclose`: comparison of arrays with a detailed report of differences."""

from typing import Any

import numpy as np

__all__ = ["assert_allclose", "ordinals"]

#: Dtype -> default relative and absolute tolerance; others must be equal.
_USUAL = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
_SHOWN = 8
_ROWS, _COLUMNS = 16, 64
#: Character of the error map -> upper bound of the error in multiples of the tolerance.
_LEVELS = {".": 1.0, "-": 10.0, "+": 1e3, "#": np.inf}


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    *,
    equal_nan: bool = True,
    where: str = "",
) -> None:
    """Raise AssertionError with a map of the differences unless two arrays are close.

    Parameters
    ----------
    actual, expected : NDArray or array_like
        Arrays of the same shape; dtypes may differ.
    rtol, atol : float, optional
        ``|actual - expected| <= atol + rtol * |expected|``. None: the default of the coarser
        dtype, 1.3e-6 and 1e-5 for float32; integers must be equal.
    equal_nan : bool, default True
        Whether NaNs compare equal.
    where : str
        Description of the arrays for the message.

    Raises
    ------
    AssertionError
        The arrays differ. The message has the number of differing elements, the first and the worst
        of them with distances in units in the last place, and an error map.

    Examples
    --------
    >>> from opforge import nd
    >>> assert_allclose(nd.array([1, 2]), [1, 2.000001])
    >>> assert_allclose(nd.array([[0, 0, 0], [0, 5, 0]]), np.zeros((2, 3)))
    Traceback (most recent call last):
    AssertionError: 1 of 6 elements differ by more than rtol=1.3e-06, atol=1e-05
      place        actual     expected   difference          ulp
      (1, 1)            5            0            5     1.08e+09
    where, of the shape (2, 3); - up to 10, + up to 1000, # more tolerances, ! beyond all:
      ...
      .#.
    """
    a, b = _numpy(actual), _numpy(expected)
    said = f" for {where}" if where else ""
    if a.shape != b.shape:
        raise AssertionError(f"shape {a.shape}, expected {b.shape}{said}")
    kind = _coarser(a.dtype, b.dtype)
    usual = _USUAL.get(kind.name, (0.0, 0.0))
    rtol, atol = usual[0] if rtol is None else rtol, usual[1] if atol is None else atol
    error = _errors(a, b, rtol, atol, equal_nan)
    differs = error > 1
    if differs.any():
        count = f"{differs.sum()} of {differs.size} elements differ"
        raise AssertionError(
            f"{count} by more than rtol={rtol:g}, atol={atol:g}{said}\n"
            + "\n".join([*_table(a, b, error, kind), *_picture(error)])
        )


def ordinals(values: Any) -> Any:
    """Return the ordinals of floating-point numbers among all numbers of their dtype.

    Examples
    --------
    >>> ordinals(np.array([0.0, 1e-45], "float32")).tolist()
    [0, 1]
    """
    bits = values.view(f"i{values.itemsize}").astype(object if values.itemsize == 8 else np.int64)
    lowest = -(1 << (8 * values.itemsize - 1))
    return np.where(bits < 0, lowest - bits, bits)


def _numpy(value: Any) -> Any:
    return value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value)


def _coarser(one: Any, other: Any) -> Any:
    """Return the dtype of the comparison: the floating type with fewer digits."""
    kinds = [kind for kind in (one, other) if kind.kind == "f"]
    return min(kinds, key=lambda kind: kind.itemsize) if kinds else one


def _errors(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """Return each difference in multiples of the tolerance, infinite if undefined."""
    same = a == b
    if equal_nan and a.dtype.kind == b.dtype.kind == "f":
        same |= (a != a) & (b != b)
    with np.errstate(all="ignore"):
        wide = b.astype(np.float64)
        error = np.abs(a.astype(np.float64) - wide) / (atol + rtol * np.abs(wide))
    # Large integers may be equal in float64.
    unseen = (error == 0) if rtol == atol == 0 else False
    return np.where(same, 0.0, np.where(np.isnan(error) | unseen, np.inf, error))


def _table(a: Any, b: Any, error: Any, kind: Any) -> list[str]:
    """Return the first elements that differ, and the worst if it is not among them."""
    differing = np.flatnonzero(error > 1)
    shown = differing[:_SHOWN].tolist()
    worst = int(np.argmax(error))
    if worst not in shown:
        shown[-1] = worst
    rows = [["place", "actual", "expected", "difference", "ulp"]]
    for at in shown:
        index = tuple(int(i) for i in np.unravel_index(at, a.shape))
        one, other = a.reshape(-1)[at], b.reshape(-1)[at]
        gap = f"{float(one) - float(other):.3g}"
        rows.append([str(index), _brief(one), _brief(other), gap, _ulp(one, other, kind)])
    width = max(len(row[0]) for row in rows)
    lines = [f"  {row[0]:<{width}}" + "".join(f" {x:>12}" for x in row[1:]) for row in rows]
    if len(differing) > len(shown):
        lines.append(f"  and {len(differing) - len(shown)} more; the table includes the worst")
    return lines


def _brief(number: Any) -> str:
    return f"{number:.7g}" if isinstance(number, np.floating) else str(number)


def _ulp(one: Any, other: Any, kind: Any) -> str:
    """Return the distance of two numbers in ulp, if meaningful."""
    if kind.kind != "f" or not (np.isfinite(one) and np.isfinite(other)):
        return "-"
    with np.errstate(over="ignore"):
        first, second = ordinals(np.array([one, other]).astype(kind))
    return f"{abs(int(first) - int(second)):.3g}"


def _picture(error: Any) -> list[str]:
    """Return lines with a character for each element, or for the worst of each block."""
    matrix = error.reshape(-1, error.shape[-1] if error.ndim > 1 else error.size)
    rows, columns = _starts(matrix.shape[0], _ROWS), _starts(matrix.shape[1], _COLUMNS)
    blocks = np.maximum.reduceat(np.maximum.reduceat(matrix, rows, axis=0), columns, axis=1)
    each = ""
    if blocks.shape != matrix.shape:
        tall, wide = (-(-n // k) for n, k in zip(matrix.shape, blocks.shape, strict=True))
        each = f", up to {tall} x {wide} elements per character"
    return [
        f"where, of the shape {error.shape}{each}; - up to 10, + up to 1000, # more tolerances, "
        "! beyond all:",
        *("  " + "".join(map(_character, row)) for row in blocks.tolist()),
    ]


def _starts(length: int, most: int) -> Any:
    """Return the start of each block, for at most `most` blocks."""
    return np.unique(np.linspace(0, length, min(length, most), endpoint=False).astype(int))


def _character(error: float) -> str:
    if error == np.inf:
        return "!"
    return next(character for character, most in _LEVELS.items() if error <= most)
