"""Saved states of optimizers, which are pickles; those of MXNet 1.x name classes of its modules.

They are a dict by index, or a pair of it and the optimizer. What Adam and schedulers compute
depends on how many updates there were: a dict of opforge carries these counts too.
"""

import io
import pickle
from typing import Any

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


def read_states(content: bytes) -> Any:
    """Return what was pickled by opforge, or by MXNet, whose classes become those of opforge.

    Unpickling runs what the bytes name: read only what you trust.

    Raises
    ------
    pickle.UnpicklingError
        The bytes name a class of MXNet that is not here.
    """
    return _Reader(io.BytesIO(content)).load()


class _Reader(pickle.Unpickler):
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
