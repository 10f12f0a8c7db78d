"""Arithmetic and comparison of an array with a number."""

from math import log
from typing import Any

from ._elementwise import has_integers, scalar_row

__all__: list[str] = []

X = ("inputs",)
Y = ("outputs",)


def _log(value: float) -> float:
    return log(value) if value > 0 else (float("-inf") if value == 0 else float("nan"))


def _power_gradient(F: Any, dy: Any, x: Any, s: float, y: Any) -> Any:
    if s == 2:  # one pass instead of three
        return F._backward_square(dy, x)
    return dy * (x ** (s - 1.0) * s)


def _mod(F: Any, dy: Any, x: Any, s: float, y: Any) -> Any:
    return F.zeros_like(dy) if has_integers(dy) else dy


def _rmod(F: Any, dy: Any, x: Any, s: float, y: Any) -> Any:
    return F.zeros_like(dy) if has_integers(dy) else -(dy * F.floor(s / x))


def _row(
    name: str, kernel: str, doc: str, rule: Any, saves: Any = (), reverse: bool = False
) -> None:
    title = "".join(part.capitalize() for part in name.strip("_").split("_"))
    title = title.replace("Rminus", "RMinus").replace("Rdiv", "RDiv")
    title = title.replace("Rmod", "RMod").replace("Rpower", "RPower")
    scalar_row(name, kernel, f"Return {doc}.", rule, saves, aliases=(f"_{title}",), reverse=reverse)


_row("_plus_scalar", "add", "``data + scalar``", lambda F, dy, x, s, y: dy)
_row("_rplus_scalar", "add", "``scalar + data``", lambda F, dy, x, s, y: dy, reverse=True)
scalar_row(
    "_scatter_plus_scalar",
    "add",
    "Return ``data + scalar``; for sparse arrays, only for stored elements.",
    lambda F, dy, x, s, y: dy,
)
_row("_minus_scalar", "subtract", "``data - scalar``", lambda F, dy, x, s, y: dy)
scalar_row(
    "_scatter_minus_scalar",
    "subtract",
    "Return ``data - scalar``; for sparse arrays, only for stored elements.",
    lambda F, dy, x, s, y: dy,
)
_row("_rminus_scalar", "subtract", "``scalar - data``", lambda F, dy, x, s, y: -dy, reverse=True)
_row("_mul_scalar", "multiply", "``data * scalar``", lambda F, dy, x, s, y: dy * s)
_row("_rmul_scalar", "multiply", "``scalar * data``", lambda F, dy, x, s, y: dy * s, reverse=True)
_row("_div_scalar", "divide", "``data / scalar``", lambda F, dy, x, s, y: dy / s)
_row(
    "_rdiv_scalar",
    "divide",
    "``scalar / data``",
    lambda F, dy, x, s, y: -(dy * s) / (x * x),
    X,
    reverse=True,
)
_row("_mod_scalar", "mod", "the remainder of ``data / scalar``", _mod)
_row(
    "_rmod_scalar",
    "mod",
    "the remainder of ``scalar / data``",
    _rmod,
    X,
    reverse=True,
)
_row(
    "_power_scalar",
    "power",
    "`data` to the power of `scalar`",
    _power_gradient,
    X,
)
_row(
    "_rpower_scalar",
    "power",
    "`scalar` to the power of `data`",
    lambda F, dy, x, s, y: dy * y * _log(s),
    Y,
    reverse=True,
)
_row(
    "_maximum_scalar",
    "maximum",
    "the maximum of element and number",
    lambda F, dy, x, s, y: dy * (x >= s),
    X,
)
_row(
    "_minimum_scalar",
    "minimum",
    "the minimum of element and number",
    lambda F, dy, x, s, y: dy * (x <= s),
    X,
)
_row(
    "_hypot_scalar",
    "hypot",
    "``sqrt(data**2 + scalar**2)``",
    lambda F, dy, x, s, y: dy * (x / y),
    ("inputs", "outputs"),
)
for _kernel, _what in (
    ("equal", "equal to"),
    ("not_equal", "different from"),
    ("greater", "greater than"),
    ("greater_equal", "greater than or equal to"),
    ("lesser", "less than"),
    ("lesser_equal", "less than or equal to"),
):
    _row(f"_{_kernel}_scalar", _kernel, f"1 where `data` is {_what} the number, else 0", None)
for _kernel, _what in (
    ("logical_and", "both element and number are not 0"),
    ("logical_or", "element or number is not 0"),
    ("logical_xor", "exactly one of element and number is not 0"),
):
    _row(f"_{_kernel}_scalar", _kernel, f"1 where {_what}, else 0", None)
