"""Functions on symbols that are no single operator, for symbols and numbers on either side."""

import operator
from collections.abc import Callable
from typing import Any

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


def _function(
    name: str, what: str, number: Callable[[Any, Any], Any], doc: str, broadcasts: bool = True
) -> Callable[[Any, Any], Any]:
    """Return a function that picks the operator by which sides are symbols."""

    def function(left: Any, right: Any) -> Any:
        if isinstance(left, SymbolOperators) or isinstance(right, SymbolOperators):
            return two_sided(what, left, right, broadcasts)
        return number(left, right)

    function.__name__ = function.__qualname__ = name
    shapes = "with broadcasting" if broadcasts else "of equal shapes"
    function.__doc__ = (
        f"Return {doc}, {shapes}.\n\nParameters\n----------\nleft, right : Symbol or number\n"
    )
    return function


# MXNet has these five; they take equal shapes, as arithmetic on symbols does.
maximum = _function("maximum", "maximum", max, "the larger of each pair", False)
minimum = _function("minimum", "minimum", min, "the smaller of each pair", False)
hypot = _function(
    "hypot", "hypot", lambda a, b: (a * a + b * b) ** 0.5, "``sqrt(left**2 + right**2)``", False
)
_raised = _function("pow", "pow", operator.pow, "`left` to the power of `right`", False)


def pow(base: Any, exp: Any) -> Any:
    """Return `base` to the power of `exp`, of equal shapes.

    Parameters
    ----------
    base, exp : Symbol or number
    """
    return _raised(base, exp)


power = pow

# These are `nd`'s, for blocks that call them on `F`.
add = _function("add", "add", operator.add, "``left + right``")
subtract = _function("subtract", "sub", operator.sub, "``left - right``")
multiply = _function("multiply", "mul", operator.mul, "``left * right``")
divide = _function("divide", "truediv", operator.truediv, "``left / right``")
true_divide = _function("true_divide", "truediv", operator.truediv, "``left / right``")
modulo = _function("modulo", "mod", operator.mod, "the remainder of ``left / right``")


def _truth(name: str, what: str, number: Callable[[Any, Any], Any], doc: str) -> Any:
    return _function(name, what, lambda a, b: int(number(a, b)), f"1 where {doc}, else 0")


equal = _truth("equal", "eq", operator.eq, "`left` equals `right`")
not_equal = _truth("not_equal", "ne", operator.ne, "`left` differs from `right`")
greater = _truth("greater", "gt", operator.gt, "`left` is greater than `right`")
greater_equal = _truth("greater_equal", "ge", operator.ge, "`left` is at least `right`")
lesser = _truth("lesser", "lt", operator.lt, "`left` is less than `right`")
lesser_equal = _truth("lesser_equal", "le", operator.le, "`left` is at most `right`")
logical_and = _truth(
    "logical_and", "logical_and", lambda a, b: bool(a) and bool(b), "both are not 0"
)
logical_or = _truth("logical_or", "logical_or", lambda a, b: bool(a) or bool(b), "one is not 0")
logical_xor = _truth(
    "logical_xor", "logical_xor", lambda a, b: bool(a) != bool(b), "exactly one is not 0"
)


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
