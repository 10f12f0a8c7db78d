"""Functions of two operands, each an array or a number: one table for `nd` and `sym`."""

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["TWO_SIDED", "TwoSided"]


class TwoSided(NamedTuple):
    """Operators of a function of two operands, under the names that MXNet's graphs have.

    Attributes
    ----------
    equal : str
        Operator for two arrays of equal shapes.
    broadcast : str
        Operator for two arrays, with broadcasting.
    scalar : str
        Operator for an array and a number on its right.
    mirrored : str
        Operator for an array and a number on its left.
    number : callable
        Function for two numbers.
    doc : str
        Description of the result, with ``{lhs}`` and ``{rhs}`` for the operands.
    is_comparison : bool
        Whether the result is 0 or 1.
    """

    equal: str
    broadcast: str
    scalar: str
    mirrored: str
    number: Callable[[Any, Any], Any]
    doc: str
    is_comparison: bool = False


def _power(base: Any, exponent: Any) -> Any:
    # A large integer to the power of another would take forever.
    return base**exponent if abs(exponent) < 1 << 16 else float(base) ** float(exponent)


def _camel(
    stem: str, short: str, number: Callable[[Any, Any], Any], doc: str, reflected: str | None = None
) -> TwoSided:
    """Return a row of an operator whose names in MXNet's graphs are in camel case."""
    scalar = f"_{stem}Scalar"
    return TwoSided(f"_{stem}", f"broadcast_{short}", scalar, reflected or scalar, number, doc)


def _comparison(
    name: str, mirror: str, number: Callable[[Any, Any], Any], condition: str
) -> TwoSided:
    return TwoSided(
        f"_{name}",
        f"broadcast_{name}",
        f"_{name}_scalar",
        f"_{mirror}_scalar",
        lambda lhs, rhs: int(number(lhs, rhs)),
        f"1 where {condition}, else 0",
        True,
    )


#: Rows by the name of the function in `nd` and `sym`.
TWO_SIDED: dict[str, TwoSided] = {
    "add": _camel("Plus", "add", operator.add, "``{lhs} + {rhs}``"),
    "subtract": _camel("Minus", "sub", operator.sub, "``{lhs} - {rhs}``", "_RMinusScalar"),
    "multiply": _camel("Mul", "mul", operator.mul, "``{lhs} * {rhs}``"),
    "divide": _camel("Div", "div", operator.truediv, "``{lhs} / {rhs}``", "_RDivScalar"),
    "modulo": _camel(
        "Mod", "mod", operator.mod, "the remainder of ``{lhs} / {rhs}``", "_RModScalar"
    ),
    "power": _camel("Power", "power", _power, "`{lhs}` to the power of `{rhs}`", "_rpower_scalar"),
    "maximum": _camel("Maximum", "maximum", max, "the larger of each pair"),
    "minimum": _camel("Minimum", "minimum", min, "the smaller of each pair"),
    "hypot": _camel(
        "Hypot",
        "hypot",
        lambda lhs, rhs: (lhs * lhs + rhs * rhs) ** 0.5,
        "``sqrt({lhs}**2 + {rhs}**2)``",
    ),
    "equal": _comparison("equal", "equal", operator.eq, "`{lhs}` equals `{rhs}`"),
    "not_equal": _comparison("not_equal", "not_equal", operator.ne, "`{lhs}` differs from `{rhs}`"),
    "greater": _comparison("greater", "lesser", operator.gt, "`{lhs}` is greater than `{rhs}`"),
    "greater_equal": _comparison(
        "greater_equal",
        "lesser_equal",
        operator.ge,
        "`{lhs}` is greater than or equal to `{rhs}`",
    ),
    "lesser": _comparison("lesser", "greater", operator.lt, "`{lhs}` is less than `{rhs}`"),
    "lesser_equal": _comparison(
        "lesser_equal",
        "greater_equal",
        operator.le,
        "`{lhs}` is less than or equal to `{rhs}`",
    ),
    "logical_and": _comparison(
        "logical_and", "logical_and", lambda lhs, rhs: bool(lhs) and bool(rhs), "both are not 0"
    ),
    "logical_or": _comparison(
        "logical_or", "logical_or", lambda lhs, rhs: bool(lhs) or bool(rhs), "one is not 0"
    ),
    "logical_xor": _comparison(
        "logical_xor",
        "logical_xor",
        lambda lhs, rhs: bool(lhs) != bool(rhs),
        "exactly one is not 0",
    ),
}
