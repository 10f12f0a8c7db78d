"""Names that NumPy and Python have removed since MXNet programs were written.

They are restored only on request: a program's author should know that the program needs them, and
other packages in the process see them too.
"""

import inspect
import re
from collections import abc
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ._former_functions import removed_feature, restore_functions

__all__ = ["REMOVED_NAMES", "missing_alias", "restore_numpy_aliases"]

#: Abstract classes that were in `collections` too; those of later versions never were.
_ABSTRACT_CLASSES = [name for name in abc.__all__ if name not in ("Buffer", "ByteString")]


class _Arguments(NamedTuple):
    """Result of ``inspect.getargspec``."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def _getargspec(func: Any) -> _Arguments:
    """Return the arguments of a function that has no keyword-only ones."""
    full = inspect.getfullargspec(func)
    if full.kwonlyargs:
        raise ValueError("Function has keyword-only arguments; call inspect.getfullargspec")
    return _Arguments(full.args, full.varargs, full.varkw, full.defaults)


#: Removed name -> the object that it was an alias of, or one that does the same.
REMOVED_NAMES: dict[str, Any] = {
    "numpy.bool": bool,
    "numpy.complex": complex,
    "numpy.float": float,
    "numpy.int": int,
    "numpy.long": int,
    "numpy.object": object,
    "numpy.str": str,
    "numpy.unicode": str,
    "numpy.bool8": np.bool_,
    "numpy.bytes0": np.bytes_,
    "numpy.cfloat": np.complex128,
    "numpy.complex_": np.complex128,
    "numpy.float_": np.float64,
    "numpy.int0": np.intp,
    "numpy.longfloat": np.longdouble,
    "numpy.object0": np.object_,
    "numpy.singlecomplex": np.complex64,
    "numpy.str0": np.str_,
    "numpy.string_": np.bytes_,
    "numpy.uint0": np.uintp,
    "numpy.unicode_": np.str_,
    "numpy.Inf": np.inf,
    "numpy.Infinity": np.inf,
    "numpy.NAN": np.nan,
    "numpy.NINF": -np.inf,
    "numpy.NZERO": -0.0,
    "numpy.NaN": np.nan,
    "numpy.PINF": np.inf,
    "numpy.PZERO": 0.0,
    "numpy.infty": np.inf,
    "numpy.AxisError": np.exceptions.AxisError,
    "numpy.ComplexWarning": np.exceptions.ComplexWarning,
    "numpy.RankWarning": np.exceptions.RankWarning,
    "numpy.VisibleDeprecationWarning": np.exceptions.VisibleDeprecationWarning,
    "numpy.alltrue": np.all,
    "numpy.asfarray": lambda a, dtype=float: np.asarray(a, dtype),
    "numpy.asscalar": lambda a: a.item(),
    "numpy.cumproduct": np.cumprod,
    "numpy.in1d": lambda ar1, ar2, **options: np.isin(np.ravel(ar1), ar2, **options),
    "numpy.mat": np.asmatrix,
    "numpy.msort": lambda a: np.sort(a, axis=0),
    "numpy.product": np.prod,
    "numpy.rank": np.ndim,
    "numpy.round_": np.round,
    "numpy.row_stack": np.vstack,
    "numpy.sometrue": np.any,
    "numpy.trapz": np.trapezoid,
    # Modules that became private: their functions are those of the main namespace.
    "numpy.lib.arraysetops": np,
    "numpy.lib.function_base": np,
    "numpy.lib.index_tricks": np,
    "numpy.lib.nanfunctions": np,
    "numpy.lib.pad": np.pad,
    "numpy.lib.shape_base": np,
    "numpy.lib.twodim_base": np,
    "numpy.lib.type_check": np,
    "numpy.linalg.linalg": np.linalg,
    **{f"collections.{name}": getattr(abc, name) for name in _ABSTRACT_CLASSES},
    "inspect.getargspec": _getargspec,
}

#: Beginnings of errors about names removed from modules (NumPy 1.24, 2.0, Python 3.10).
_REMOVED = re.compile(
    r"module '(?P<module>[\w.]+)' has no attribute '(?P<attribute>\w+)'"
    r"|cannot import name '(?P<imported>\w+)' from '(?P<source>[\w.]+)'"
    r"|`np\.(?P<explained>\w+)"
    r"|numpy\.(?P<private>lib\.\w+) is now private"
)


def restore_numpy_aliases() -> list[str]:
    """Restore names that NumPy and Python have removed (``np.int``, ``collections.Iterable`` ...).

    Names that NumPy has today stay unchanged, even if their meaning differs: ``np.bool`` is
    NumPy's own scalar type in NumPy 2. ``np.fromstring`` reads bytes again, ``np.reshape`` takes
    `newshape`, lists of unequal lengths become arrays of objects, and ``json.loads`` ignores
    `encoding`.

    Returns
    -------
    list of str
        Names that were missing, such as ``numpy.int``.
    """
    missing = [name for name in REMOVED_NAMES if _restore(name)]
    restore_functions()
    return missing


def _restore(name: str) -> bool:
    """Restore a removed name if its module lacks it; return whether that was so."""
    module, _, attribute = name.rpartition(".")
    names = vars(import_module(module))  # not hasattr: NumPy emits warnings for removed names
    missing = attribute not in names
    if missing:
        names[attribute] = REMOVED_NAMES[name]
    return missing


def missing_alias(error: BaseException) -> str | None:
    """Return which of these names `error` is about, such as ``numpy.int``, or None."""
    if isinstance(error, TypeError | ValueError):
        return removed_feature(error)
    if not isinstance(error, AttributeError | ImportError):
        return None
    match = _REMOVED.match(str(error))  # NumPy leaves `name` of these errors empty
    if match is None:
        return None
    module = match["module"] or match["source"] or "numpy"
    attribute = match["attribute"] or match["imported"] or match["explained"] or match["private"]
    name = f"{module}.{attribute}"
    return name if name in REMOVED_NAMES else None
