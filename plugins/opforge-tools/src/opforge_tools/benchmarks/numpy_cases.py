"""Cases of `mx.np`: small calls and those of `nd`, functions of large arrays, and indexing."""

from collections.abc import Mapping

from .case import Array, Case

__all__ = ["NUMPY"]

_VECTOR, _MATRIX = Array(("n",)), Array(("n", "n"))
_INDICES = Array(("m",), dtype="int64", below="n")
_SMALL = {"n": 4}
_LARGE = {"n": 10**6}
_SQUARE = {"n": 1000}


def _call(shown: str, opforge: str, nd: str, arrays: Mapping[str, Array]) -> Case:
    """Return the case of a call on 4 elements, or 4 rows, and of the same call of `nd`."""
    return Case(
        f"np: {shown}, 4 elements",
        "numpy",
        opforge=opforge,
        nd=nd,
        sizes=_SMALL,
        arrays=arrays,
        uses_np=True,
        target=1.15,
    )


def _function(
    shown: str,
    expression: str,
    torch: str,
    sizes: Mapping[str, int],
    arrays: Mapping[str, Array],
    numpy: str = "",
    target: float = 1.0,
) -> Case:
    """Return the case of an expression that NumPy computes too."""
    return Case(
        f"np: {shown}",
        "numpy",
        opforge=expression,
        torch=torch,
        numpy=numpy or expression,
        sizes=sizes,
        arrays=arrays,
        uses_np=True,
        target=target,
    )


def _elements(
    name: str, arguments: str = "a", torch: str = "", arrays: Mapping[str, Array] | None = None
) -> Case:
    """Return the case of a function of a million elements."""
    return _function(
        f"{name}, 1e6",
        f"np.{name}({arguments})",
        torch or f"torch.{name}({arguments})",
        _LARGE,
        arrays or {one: _VECTOR for one in "ab" if one in arguments.split(", ")},
    )


def _matrix(shown: str, expression: str, torch: str, numpy: str = "", names: str = "m") -> Case:
    """Return the case of an expression in matrices ``m`` and ``w`` and a vector ``v``."""
    given = {"m": _MATRIX, "w": _MATRIX, "v": _VECTOR}
    arrays = {name: array for name, array in given.items() if name in names}
    return _function(f"{shown}, 1000x1000", expression, torch, _SQUARE, arrays, numpy)


_FEW = {"a": _VECTOR, "i": Array(("n",), dtype="int64", below="n")}
_ONE, _TWO, _ROWS = {"a": _VECTOR}, {"a": _VECTOR, "b": _VECTOR}, {"m": _MATRIX}

_CALLS = (
    _call("add", "np.add(a, b)", "nd.add(a, b)", _TWO),
    _call("operator +", "a + b", "a + b", _TWO),
    _call("operator + with a number", "a + 2", "a + 2", _ONE),
    _call("operator > with a number", "a > 0.5", "a > 0.5", _ONE),
    _call("exp", "np.exp(a)", "nd.exp(a)", _ONE),
    _call("sum", "np.sum(a)", "nd.sum(a)", _ONE),
    _call("mean along an axis", "np.mean(m, axis=1)", "nd.mean(m, axis=1)", _ROWS),
    _call("dot", "np.dot(m, m)", "nd.dot(m, m)", _ROWS),
    _call("reshape", "a.reshape(2, n // 2)", "a.reshape((2, n // 2))", _ONE),
    _call("element", "a[1]", "a[1]", _ONE),
    _call("elements at indices", "a[i]", "a[i]", _FEW),
    _call("take", "np.take(a, i)", "nd.take(a, i)", _FEW),
    _call("relu", "npx.relu(a)", "nd.relu(a)", _ONE),
)

_FUNCTIONS = (
    _elements("add", "a, b"),
    _elements("multiply", "a, b"),
    _elements("maximum", "a, b"),
    _elements("exp"),
    _elements("sqrt"),
    _elements("tanh"),
    _elements("sum"),
    _elements("mean"),
    _elements("max"),
    _elements("argmax"),
    _elements("cumsum", torch="torch.cumsum(a, 0)"),
    _elements("sort", torch="torch.sort(a).values"),
    _elements("dot", "a, b"),
    _function("operator >, 1e6", "a > b", "a > b", _LARGE, _TWO),
    _function(
        "where, 1e6",
        "np.where(c, a, b)",
        "torch.where(c, a, b)",
        _LARGE,
        {"c": Array(("n",), "ones", "bool"), **_TWO},
    ),
    _matrix("sum over axis 0", "np.sum(m, axis=0)", "torch.sum(m, 0)"),
    _matrix("add a row", "m + v", "m + v", names="mv"),
    _matrix("copy of m.T", "m.T.copy()", "m.T.contiguous()"),
    _matrix("concatenate", "np.concatenate([m, w])", "torch.concatenate([m, w])", names="mw"),
    *(
        _matrix(
            f"einsum {subscripts}",
            f"np.einsum('{subscripts}', m, w)",
            f"torch.einsum('{subscripts}', m, w)",
            names="mw",
        )
        for subscripts in ("ij,jk->ik", "ij,ij->i", "ij,kj->ik", "ij,ij->")
    ),
)

#: Slices of matrices, and as many indices as a tenth of the elements.
_INDEXING = (
    _function("read a row", "m[3]", "m[3]", _SQUARE, _ROWS, target=0.5),
    _function("read rows by slice", "m[2:n - 2]", "m[2:n - 2]", _SQUARE, _ROWS, target=0.5),
    _function(
        "read by indices, 1e5 of 1e6",
        "a[i]",
        "a[i]",
        {**_LARGE, "m": 10**5},
        {"a": _VECTOR, "i": _INDICES},
        target=0.5,
    ),
    _function(
        "read rows by indices, 1e3",
        "x[i]",
        "x[i]",
        {**_SQUARE, "m": 1000},
        {"x": _MATRIX, "i": _INDICES},
        target=0.5,
    ),
    _function("read by mask, 1e6", "a[a > 0.5]", "a[a > 0.5]", _LARGE, _ONE, target=0.5),
)
_WRITING = tuple(
    _function(f"write {shown}", expression, expression, sizes, arrays, target=0.5)
    for shown, expression, sizes, arrays in (
        ("a row", "m.__setitem__(3, 1.0)", _SQUARE, _ROWS),
        (
            "by indices, 1e5 of 1e6",
            "a.__setitem__(i, 1.0)",
            {**_LARGE, "m": 10**5},
            {"a": _VECTOR, "i": _INDICES},
        ),
        ("by mask, 1e6", "a.__setitem__(a > 0.5, 0.75)", _LARGE, _ONE),
    )
)

NUMPY = (*_CALLS, *_FUNCTIONS, *_INDEXING, *_WRITING)
