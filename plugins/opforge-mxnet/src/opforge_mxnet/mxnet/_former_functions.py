"""Functions of NumPy and Python as they were when MXNet programs were written.

They accept what they have rejected since; see `_removed_names`.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

__all__ = ["removed_feature", "restore_functions"]

#: Beginnings of errors about removed features (NumPy 1.24, 2.3, 2.4, Python 3.9) -> the feature.
_REMOVED_FEATURES = {
    "setting an array element with a sequence. The requested array has an inhomogeneous": (
        "numpy.array of lists of unequal lengths"
    ),
    "The binary mode of fromstring is removed": "numpy.fromstring of bytes",
    "reshape() got an unexpected keyword argument 'newshape'": "newshape of numpy.reshape",
    "JSONDecoder.__init__() got an unexpected keyword argument 'encoding'": (
        "encoding of json.loads"
    ),
}


def removed_feature(error: BaseException) -> str | None:
    """Return the feature that `error` is about, such as ``numpy.fromstring of bytes``, or None."""
    features = _REMOVED_FEATURES.items()
    return next((name for text, name in features if str(error).startswith(text)), None)


def restore_functions() -> None:
    """Let functions accept again what they have rejected since."""
    vars(np).update(
        array=_array, asarray=_asarray, asanyarray=_asanyarray, save=_save, fromstring=_fromstring
    )
    vars(json)["loads"] = _loads
    # The first version with the parameter `shape`.
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        vars(np)["reshape"] = _reshape


def _of_ragged_lists(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes an array of objects of lists of unequal lengths."""

    @wraps(make)
    def made(a: Any, *args: Any, **options: Any) -> Any:
        try:
            return make(a, *args, **options)
        except ValueError as error:
            is_ragged = "inhomogeneous" in str(error)
            if not is_ragged or args or options.get("dtype") is not None:
                raise
            return make(a, **{**options, "dtype": object})

    return made


_array = _of_ragged_lists(np.array)
_asarray = _of_ragged_lists(np.asarray)
_asanyarray = _of_ragged_lists(np.asanyarray)
_new_save = np.save
_new_fromstring = np.fromstring
_new_reshape = np.reshape
_new_loads = json.loads


@wraps(_new_save)
def _save(file: Any, arr: Any, *args: Any, **options: Any) -> None:
    """Write lists of unequal lengths too, as NumPy did before 1.24."""
    _new_save(file, _asanyarray(arr), *args, **options)


@wraps(_new_fromstring)
def _fromstring(string: Any, dtype: Any = float, count: int = -1, **options: Any) -> Any:
    """Read bytes too, as NumPy did before 2.3 without a separator."""
    if options.get("sep", ""):
        return _new_fromstring(string, dtype, count, **options)
    return np.frombuffer(string, dtype, count).copy()


@wraps(_new_reshape)
def _reshape(a: Any, *args: Any, **options: Any) -> Any:
    """Accept the shape as `newshape` too, as NumPy did before 2.4."""
    if "newshape" in options:
        options["shape"] = options.pop("newshape")
    return _new_reshape(a, *args, **options)


@wraps(_new_loads)
def _loads(s: Any, **options: Any) -> Any:
    """Accept `encoding`, which Python ignored before 3.9."""
    options.pop("encoding", None)
    return _new_loads(s, **options)
