"""Names that NumPy has removed since MXNet programs were written.

They are restored only on request: a program's author should know that the program needs them, and
other packages in the process see them too.
"""

import re
from functools import wraps
from typing import Any

import numpy as np

__all__ = ["NUMPY_ALIASES", "missing_alias", "restore_numpy_aliases"]

#: Removed name -> the object that it was an alias of, which still exists.
NUMPY_ALIASES: dict[str, Any] = {
    "bool": bool,
    "complex": complex,
    "float": float,
    "int": int,
    "long": int,
    "object": object,
    "str": str,
    "unicode": str,
    "complex_": np.complex128,
    "float_": np.float64,
    "string_": np.bytes_,
    "unicode_": np.str_,
    "Inf": np.inf,
    "Infinity": np.inf,
    "NAN": np.nan,
    "NINF": -np.inf,
    "NaN": np.nan,
    "PINF": np.inf,
    "infty": np.inf,
    "alltrue": np.all,
    "cumproduct": np.cumprod,
    "product": np.prod,
    "round_": np.round,
    "sometrue": np.any,
}

_fromstring = np.fromstring


@wraps(_fromstring)
def _fromstring_of_bytes(string: Any, dtype: Any = float, count: int = -1, **options: Any) -> Any:
    """Read bytes too, as NumPy did before 2.3 without a separator."""
    if options.get("sep", ""):
        return _fromstring(string, dtype, count, **options)
    return np.frombuffer(string, dtype, count).copy()


_reshape = np.reshape


@wraps(_reshape)
def _reshape_to_newshape(a: Any, *args: Any, **options: Any) -> Any:
    """Accept the shape as `newshape` too, as NumPy did before 2.4."""
    if "newshape" in options:
        options["shape"] = options.pop("newshape")
    return _reshape(a, *args, **options)


#: Beginnings of NumPy's errors about names removed in 1.24 and 2.0, and about features removed in
#: #: 2.3 and 2.4.
_REMOVED = re.compile(r"(?:module 'numpy' has no attribute '|`np\.)(\w+)")
_REMOVED_MODE = "The binary mode of fromstring is removed"
_REMOVED_ARGUMENT = "reshape() got an unexpected keyword argument 'newshape'"


def restore_numpy_aliases() -> list[str]:
    """Restore the names that NumPy has removed (``np.int``, ``np.float``, ``np.NaN`` ...).

    Names that NumPy has today stay unchanged, even if their meaning differs: ``np.bool`` is
    NumPy's own scalar type in NumPy 2. ``np.fromstring`` reads bytes again, and ``np.reshape``
    takes `newshape`.

    Returns
    -------
    list of str
        Names that were missing.
    """
    # Not hasattr: NumPy emits warnings for removed names.
    missing = [name for name in NUMPY_ALIASES if name not in vars(np)]
    for name in missing:
        setattr(np, name, NUMPY_ALIASES[name])
    vars(np)["fromstring"] = _fromstring_of_bytes
    if (
        np.lib.NumpyVersion(np.__version__) >= "2.1.0"
    ):  # the first version with the parameter `shape`
        vars(np)["reshape"] = _reshape_to_newshape
    return missing


def missing_alias(error: BaseException) -> str | None:
    """Return which of these names `error` is about, or None."""
    if isinstance(error, ValueError) and str(error).startswith(_REMOVED_MODE):
        return "fromstring of bytes"
    if isinstance(error, TypeError) and str(error) == _REMOVED_ARGUMENT:
        return "reshape's newshape"
    # NumPy leaves `name` of these errors empty.
    match = _REMOVED.match(str(error)) if isinstance(error, AttributeError) else None
    return match[1] if match and match[1] in NUMPY_ALIASES else None
