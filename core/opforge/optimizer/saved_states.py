"""Saved states of optimizers, which are pickles; those of MXNet 1.x name classes of its modules.

Unpickling can call whatever a file names. Only what states consist of is admitted: arrays,
contexts, optimizers and schedulers. No module is imported for a class that a file names.

They are a dict by index, or a pair of it and the optimizer. What Adam and schedulers compute
depends on how many updates there were: a dict of opforge carries these counts too.
"""

import io
import pickle
import sys
from typing import Any

from ..base.context import Context
from ..native.array import Array

__all__ = ["CountedStates", "read_states"]

_OURS = __name__.partition(".")[0]


class CountedStates(dict[Any, Any]):
    """States by index, and how often each was updated.

    Attributes
    ----------
    counts : dict of int to dict
        For each device, the updates of each index.
    """

    def __init__(self, states: dict[Any, Any], counts: dict[int, dict[Any, int]]) -> None:
        super().__init__(states)
        self.counts = counts


#: Functions and classes that arrays, contexts and plain containers are made by.
_PARTS = {
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
    f"{_OURS}.ndarray.ndarray": {"_rebuild"},
    f"{_OURS}.ndarray.sparse.base": {"_rebuild"},
}
#: Modules whose classes, and classes derived from them, are optimizers and schedulers.
_SETTINGS = (f"{_OURS}.optimizer.base", f"{_OURS}.lr_scheduler")


def read_states(content: bytes, trusted: bool = False) -> Any:
    """Return what was pickled by opforge, or by MXNet, whose classes become those of opforge.

    Parameters
    ----------
    content : bytes
    trusted : bool, default False
        Admit every class and function that the bytes name; they may run any code.

    Raises
    ------
    pickle.UnpicklingError
        The bytes name something that states do not consist of, or a class of MXNet that is not
        here.
    """
    reader = _TrustingReader if trusted else _Reader
    return reader(io.BytesIO(content)).load()


def _is_admitted(found: Any) -> bool:
    """Return whether an object is a class of what states consist of."""
    if not isinstance(found, type):
        return False
    if issubclass(found, Array | Context | CountedStates):
        return True
    return any(base.__module__ in _SETTINGS for base in found.__mro__)


class _TrustingReader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return a class; what MXNet defines in a file of a folder, the folder offers here."""
        if not module.startswith("mxnet."):
            return super().find_class(module, name)
        folder = module.split(".")[1]
        try:
            return super().find_class(f"{_OURS}.{folder}", name)
        except (AttributeError, ImportError) as error:
            raise pickle.UnpicklingError(
                f"the saved states are MXNet's and hold a {module}.{name}, but {_OURS}.{folder} "
                f"has no {name}: install a plugin that brings it, or begin with new states"
            ) from error


class _Reader(_TrustingReader):
    def find_class(self, module: str, name: str) -> Any:
        """Return what states may consist of, and nothing else."""
        if name in _PARTS.get(module, ()):
            return super().find_class(module, name)
        if module.partition(".")[0] in ("mxnet", _OURS) or module in sys.modules:
            found = super().find_class(module, name)
            if _is_admitted(found):
                return found
        raise pickle.UnpicklingError(
            f"the saved states name {module}.{name}, which is no array, optimizer or scheduler of "
            "this program; import what defines it, or pass trusted=True if you trust the file: it "
            "may run any code then"
        )
