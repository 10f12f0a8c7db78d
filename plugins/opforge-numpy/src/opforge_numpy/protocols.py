"""NumPy's protocols, through which its functions accept arrays of `mx.np`."""

import importlib
import inspect
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from opforge.plugin_api import array_classes

from .fallback import call_numpy

__all__ = ["ArrayProtocols"]

NDArray = array_classes.NDArray


class ArrayProtocols:
    """Methods that NumPy's functions call.

    ``numpy.mean(x)`` of an array of np is ``np.mean(x)``: an array with a gradient. A function, or
    an argument, that np lacks is computed by NumPy on the elements, as in `opforge_numpy.fallback`.
    """

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if not isinstance(ufunc, np.ufunc):
            raise TypeError(f"NumPy calls this for its universal functions, got {ufunc!r:.60}")
        outs = kwargs.pop("out", ())
        target = getattr(ufunc, method)
        if any(isinstance(out, np.ndarray) for out in outs):
            return target(*map(_in_numpy, inputs), out=tuple(map(_in_numpy, outs)), **kwargs)
        if len(outs) == 1:
            kwargs["out"] = outs[0]
        if method != "__call__":
            return call_numpy(f"{ufunc.__name__}.{method}", target, inputs, kwargs)
        return _call(self, ufunc, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not callable(function) or not isinstance(kwargs, dict):
            raise TypeError(f"NumPy calls this for its functions, got {function!r:.60}")
        return _call(self, function, args, kwargs)


def _in_numpy(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else value


def _call(array: Any, target: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call the function of np that replaces one of NumPy, or that of NumPy itself."""
    replacement = _replacements().get(target)
    if replacement is not None and replacement.takes(args, kwargs):
        options = {name: _from_numpy(value, array) for name, value in kwargs.items()}
        return replacement.function(*_from_numpy(args, array), **options)
    return call_numpy(target.__name__, target, args, kwargs)


def _from_numpy(value: Any, like: Any) -> Any:
    """Replace NumPy arrays, also in tuples and lists, by arrays of np."""
    if isinstance(value, np.ndarray):
        from .arguments import from_numpy

        return from_numpy(value, like)
    if type(value) in (tuple, list):
        return type(value)(_from_numpy(item, like) for item in value)
    return value


class _Replacement:
    """A function of np and the arguments that it takes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._signature = inspect.signature(function)

    def takes(self, args: Any, kwargs: dict[str, Any]) -> bool:
        """Return whether the function has parameters for all arguments."""
        try:
            self._signature.bind(*args, **kwargs)
        except TypeError:
            return False
        return True


@cache
def _replacements() -> dict[Any, _Replacement]:
    """Return the functions of np by the functions of NumPy with the same name."""
    namespace = importlib.import_module(f"{__package__}.np")
    found = {}
    for ours, numpys in ((namespace, np), (namespace.linalg, np.linalg)):
        for name, function in vars(ours).items():
            target = getattr(numpys, name, None)
            if isinstance(function, FunctionType) and callable(target):
                found[target] = _Replacement(function)
    return found
