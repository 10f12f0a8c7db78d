"""Saved optimizer states, which are pickles; those of MXNet 1.x name classes of its modules.

Unpickling can call any object that a file names. Only the types that states consist of are allowed:
arrays, contexts, optimizers and schedulers. No module is imported for a class that a file names.

Saved states are a dict by index, or a pair of it and the optimizer. The results of Adam and of
schedulers depend on the number of updates: a dict written by opforge also stores these counts.
"""

import io
import pickle
import sys
from typing import Any

from ..base.context import Context
from ..native.array import Array

__all__ = ["CountedStates", "read_states"]

_PACKAGE = __name__.partition(".")[0]


class CountedStates(dict[Any, Any]):
    """States by index, with the number of updates of each.

    Attributes
    ----------
    counts : dict of int to dict
        For each device, the number of updates of each index.
    """

    def __init__(self, states: dict[Any, Any], counts: dict[int, dict[Any, int]]) -> None:
        super().__init__(states)
        self.counts = counts


#: Functions and classes needed to build arrays, contexts and plain containers.
_ALLOWED = {
    "builtins": {"bytearray", "complex", "frozenset", "object", "range", "set", "slice"},
    "__builtin__": {"object", "set"},
    "collections": {"OrderedDict"},
    "copyreg": {"_reconstructor"},
    "copy_reg": {"_reconstructor"},
    "_codecs": {"encode"},
    "numpy": {"dtype", "ndarray"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.numeric": {"_frombuffer"},
    "numpy._core.numeric": {"_frombuffer"},
    f"{_PACKAGE}.ndarray.ndarray": {"_rebuild"},
    f"{_PACKAGE}.ndarray.sparse.base": {"_rebuild"},
}
#: Modules of the base classes of optimizers and schedulers.
_SETTINGS = (f"{_PACKAGE}.optimizer.base", f"{_PACKAGE}.lr_scheduler")


def read_states(content: bytes, trusted: bool = False) -> Any:
    """Unpickle states of opforge or MXNet; classes of MXNet become those of opforge.

    Parameters
    ----------
    content : bytes
    trusted : bool, default False
        Allow every class and function that the bytes name; they may run arbitrary code.

    Raises
    ------
    pickle.UnpicklingError
        The bytes name an object that states do not consist of, or a class of MXNet that is not
        installed.
    """
    reader = _TrustingReader if trusted else _Reader
    return reader(io.BytesIO(content)).load()


def _is_allowed(found: Any) -> bool:
    """Return whether an object is a class that states may contain."""
    if not isinstance(found, type):
        return False
    if issubclass(found, Array | Context | CountedStates):
        return True
    return any(base.__module__ in _SETTINGS for base in found.__mro__)


class _TrustingReader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return a class; those of MXNet are looked up in the same subpackage of opforge."""
        if not module.startswith("mxnet."):
            return super().find_class(module, name)
        subpackage = module.split(".")[1]
        try:
            return super().find_class(f"{_PACKAGE}.{subpackage}", name)
        except (AttributeError, ImportError) as error:
            raise pickle.UnpicklingError(
                f"the saved states are MXNet's and contain a {module}.{name}, which "
                f"{_PACKAGE}.{subpackage} lacks. Install a plugin that provides it, or start with "
                "new states"
            ) from error


class _Reader(_TrustingReader):
    def find_class(self, module: str, name: str) -> Any:
        """Return a function or class that states may contain; reject all others."""
        if name in _ALLOWED.get(module, ()):
            return super().find_class(module, name)
        if module.partition(".")[0] in ("mxnet", _PACKAGE) or module in sys.modules:
            found = super().find_class(module, name)
            if _is_allowed(found):
                return found
        raise pickle.UnpicklingError(
            f"the saved states name {module}.{name}, which is not an array, optimizer or scheduler "
            "of this program. Import the module that defines it, or pass trusted=True if you trust "
            "the file, which may then run arbitrary code"
        )
