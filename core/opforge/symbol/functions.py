"""Functions on symbols that are no single operator, for symbols and numbers on either side."""

from typing import Any

from ..std.two_sided import TWO_SIDED
from ._namespace import operators
from .arithmetic import SymbolOperators, two_sided

__all__ = [
    "add",
    "concatenate",
    "divide",
    "einsum",
    "equal",
    "greater",
    "greater_equal",
    "hypot",
    "lesser",
    "lesser_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "moveaxis",
    "multiply",
    "not_equal",
    "pow",
    "power",
    "subtract",
    "true_divide",
]


def _function(row_name: str, name: str | None = None, broadcasts: bool = True) -> Any:
    """Return a function that picks the operator by which sides are symbols."""
    row = TWO_SIDED[row_name]

    def function(left: Any, right: Any) -> Any:
        if isinstance(left, SymbolOperators) or isinstance(right, SymbolOperators):
            return two_sided(row_name, left, right, broadcasts)
        return row.number(left, right)

    function.__name__ = function.__qualname__ = name or row_name
    shapes = "with broadcasting" if broadcasts else "of equal shapes"
    function.__doc__ = (
        f"Return {row.doc.format(lhs='left', rhs='right')}, {shapes}.\n\n"
        "Parameters\n----------\nleft, right : Symbol or number\n"
    )
    return function


# MXNet has these five; they take equal shapes, as arithmetic on symbols does.
maximum = _function("maximum", broadcasts=False)
minimum = _function("minimum", broadcasts=False)
hypot = _function("hypot", broadcasts=False)
_raised = _function("power", broadcasts=False)


def pow(base: Any, exp: Any) -> Any:
    """Return `base` to the power of `exp`, of equal shapes.

    Parameters
    ----------
    base, exp : Symbol or number
    """
    return _raised(base, exp)


power = pow

# These are `nd`'s, for blocks that call them on `F`.
add = _function("add")
subtract = _function("subtract")
multiply = _function("multiply")
divide = _function("divide")
true_divide = _function("divide", "true_divide")
modulo = _function("modulo")
equal = _function("equal")
not_equal = _function("not_equal")
greater = _function("greater")
greater_equal = _function("greater_equal")
lesser = _function("lesser")
lesser_equal = _function("lesser_equal")
logical_and = _function("logical_and")
logical_or = _function("logical_or")
logical_xor = _function("logical_xor")


def concatenate(arrays: Any, axis: int = 0) -> Any:
    """Join symbols along an axis."""
    return operators().concat(*arrays, dim=axis)


def einsum(subscripts: str, *operands: Any, optimize: bool = False, name: Any = None) -> Any:
    """Sum products of elements by Einstein's convention, as `nd.einsum` does."""
    return operators()._einsum(*operands, subscripts=subscripts, optimize=optimize, name=name)


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
