"""Functions on symbols that are no single operator."""

from typing import Any

from ._namespace import operators
from .arithmetic import SymbolOperators, two_sided

__all__ = ["concatenate", "hypot", "maximum", "minimum", "moveaxis", "pow"]


def _expect_symbol(function: str, left: Any, right: Any) -> None:
    if not isinstance(left, SymbolOperators) and not isinstance(right, SymbolOperators):
        raise TypeError(
            f"sym.{function} takes a symbol on one side at least, got types "
            f"{type(left)} and {type(right)}"
        )


def maximum(left: Any, right: Any) -> Any:
    """Return the larger of each pair; one side may be a number."""
    _expect_symbol("maximum", left, right)
    return two_sided("maximum", left, right)


def minimum(left: Any, right: Any) -> Any:
    """Return the smaller of each pair; one side may be a number."""
    _expect_symbol("minimum", left, right)
    return two_sided("minimum", left, right)


def hypot(left: Any, right: Any) -> Any:
    """Return ``sqrt(left**2 + right**2)``; one side may be a number."""
    _expect_symbol("hypot", left, right)
    return two_sided("hypot", left, right)


def pow(base: Any, exp: Any) -> Any:
    """Return `base` to the power of `exp`; one of them may be a number."""
    _expect_symbol("pow", base, exp)
    return two_sided("pow", base, exp)


def concatenate(arrays: Any, axis: int = 0) -> Any:
    """Join symbols along an axis."""
    return operators().concat(*arrays, dim=axis)


def moveaxis(tensor: Any, source: Any, destination: Any) -> Any:
    """Move axes to other places, where the number of dimensions is known."""
    sources = [source] if isinstance(source, int) else list(source)
    targets = [destination] if isinstance(destination, int) else list(destination)
    ndim = tensor.ndim
    sources, targets = ([at % ndim for at in axes] for axes in (sources, targets))
    order = [axis for axis in range(ndim) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return operators().transpose(tensor, axes=tuple(order))
