"""Arithmetic and comparison of two arrays."""

from ._elementwise import BinaryRule, binary_row, has_integers
from ._operator import needs_gradient as wanted

__all__: list[str] = []


def _product(F, dy, a, b, y):  # type: ignore[no-untyped-def]
    return [dy * b if wanted(a) else None, dy * a if wanted(b) else None]


def _quotient(F, dy, a, b, y):  # type: ignore[no-untyped-def]
    da = dy / b
    return [da, -(da * y) if wanted(b) else None]


def _power(F, dy, a, b, y):  # type: ignore[no-untyped-def]
    return [
        dy * b * a ** (b - 1.0) if wanted(a) else None,
        dy * y * F.log(a) if wanted(b) else None,
    ]


def _arctan2(F, dy, a, b, y):  # type: ignore[no-untyped-def]
    scaled = dy / (a * a + b * b)
    return [scaled * b, -(scaled * a)]


def _mod(F, dy, a, b, y):  # type: ignore[no-untyped-def]
    if has_integers(dy):
        return [F.zeros_like(dy), F.zeros_like(dy)]
    return [dy, -(dy * F.floor(a / b))]


X = ("inputs",)
XY = ("inputs", "outputs")

# kernel: (result, gradient, arrays that the gradient reads)
_ARITHMETIC: dict[str, tuple[str, BinaryRule, tuple[str, ...]]] = {
    "add": ("``lhs + rhs``", lambda F, dy, a, b, y: [dy, dy], ()),
    "subtract": ("``lhs - rhs``", lambda F, dy, a, b, y: [dy, -dy], ()),
    "multiply": ("``lhs * rhs``", _product, X),
    "divide": ("``lhs / rhs``", _quotient, XY),
    "mod": (
        "the remainder of ``lhs / rhs``, which has the sign of `rhs`",
        _mod,
        X,
    ),
    "power": ("`lhs` to the power of `rhs`", _power, XY),
    "maximum": (
        "the larger of each pair",
        lambda F, dy, a, b, y: [dy * (a >= b), dy * (a < b)],
        X,
    ),
    "minimum": (
        "the smaller of each pair",
        lambda F, dy, a, b, y: [dy * (a <= b), dy * (a > b)],
        X,
    ),
    "hypot": (
        "the length of the hypotenuse, ``sqrt(lhs**2 + rhs**2)``",
        lambda F, dy, a, b, y: [dy * (a / y), dy * (b / y)],
        XY,
    ),
    "arctan2": ("the angle of the point (rhs, lhs)", _arctan2, X),
}

# kernel: (names without, names with broadcasting); the first is the name, the others aliases.
_ARITHMETIC_NAMES = {
    "add": (("elemwise_add", "_plus", "_Plus", "_add"), ("broadcast_add", "broadcast_plus")),
    "subtract": (
        ("elemwise_sub", "_minus", "_Minus", "_sub"),
        ("broadcast_sub", "broadcast_minus"),
    ),
    "multiply": (("elemwise_mul", "_mul", "_Mul"), ("broadcast_mul",)),
    "divide": (("elemwise_div", "_div", "_Div"), ("broadcast_div",)),
    "mod": (("_mod", "_Mod"), ("broadcast_mod",)),
    "power": (("_power", "_Power"), ("broadcast_power",)),
    "maximum": (("_maximum", "_Maximum"), ("broadcast_maximum",)),
    "minimum": (("_minimum", "_Minimum"), ("broadcast_minimum",)),
    "hypot": (("_hypot", "_Hypot"), ("broadcast_hypot",)),
    "arctan2": (("_arctan2",), ("broadcast_arctan2", "arctan2")),
}

_COMPARISONS = {
    "equal": "1 where `lhs` equals `rhs`, else 0",
    "not_equal": "1 where `lhs` differs from `rhs`, else 0",
    "greater": "1 where `lhs` is greater than `rhs`, else 0",
    "greater_equal": "1 where `lhs` is greater than or equal to `rhs`, else 0",
    "lesser": "1 where `lhs` is less than `rhs`, else 0",
    "lesser_equal": "1 where `lhs` is less than or equal to `rhs`, else 0",
    "logical_and": "1 where both are not 0, else 0",
    "logical_or": "1 where one is not 0, else 0",
    "logical_xor": "1 where exactly one is not 0, else 0",
}

for _kernel, (_what, _rule, _saves) in _ARITHMETIC.items():
    (_name, *_aliases), (_wide, *_wide_aliases) = _ARITHMETIC_NAMES[_kernel]
    binary_row(_name, _kernel, f"Return {_what}; equal shapes.", _rule, _saves, aliases=_aliases)
    binary_row(
        _wide,
        _kernel,
        f"Return {_what}, with broadcasting.",
        _rule,
        _saves,
        aliases=_wide_aliases,
        broadcasts=True,
    )

binary_row(
    "_scatter_elemwise_div",
    "divide",
    "Return ``lhs / rhs``; equal shapes. For a row-sparse `lhs`, only its stored rows.",
    _quotient,
    XY,
)

for _kernel, _what in _COMPARISONS.items():
    _title = "_" + "_".join(part.capitalize() for part in _kernel.split("_"))
    binary_row(f"_{_kernel}", _kernel, f"Return {_what}; equal shapes.", None, aliases=(_title,))
    binary_row(
        f"broadcast_{_kernel}",
        _kernel,
        f"Return {_what}, with broadcasting.",
        None,
        broadcasts=True,
    )
