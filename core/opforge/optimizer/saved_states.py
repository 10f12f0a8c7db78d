"""Saved optimizer states: reading and validation, before anything of a program changes.

`state_files` has opforge's format. MXNet's is a pickle of a dict by index, or of a pair of it and
the optimizer; those of MXNet 1.x name classes of its modules. The results of Adam and of schedulers
depend on the number of updates: opforge also stores these counts.
"""

import io
import pickle
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..base.errors import OpforgeError
from .base import Optimizer
from .pickled_data import StatesError, read_data
from .pickled_types import CountedStates, PickledTypes
from .saved_settings import SavedObject, class_of, restored_optimizer, saved_object
from .state_files import is_state_file, parse_states
from .state_structure import expect_states

__all__ = ["SavedStates", "read_states"]


class SavedStates(NamedTuple):
    """Content of a file.

    Parameters
    ----------
    states : list of dict
        For each updater, the state of each weight by its index.
    counts : dict or None
        Number of updates of each weight, by device.
    optimizer : Optimizer or None
    """

    states: list[dict[Any, Any]]
    counts: dict[int, dict[Any, int]] | None
    optimizer: Optimizer | None


def read_states(
    content: bytes,
    current: Optimizer,
    weights: Mapping[Any, Any] | None = None,
    trusted: bool = False,
) -> SavedStates:
    """Read states of opforge or MXNet; classes of MXNet become those of opforge.

    Parameters
    ----------
    content : bytes
    current : Optimizer
        Optimizer that the states are for.
    weights : dict of (int or str) to (NDArray or None), optional
        All weights by index, which the states must fit; None for one without a shape yet.
    trusted : bool, default False
        Allow every class and function that a pickle names; it may run arbitrary code.

    Raises
    ------
    StatesError
        The content is not saved states, is damaged, or does not fit the weights.
    """
    inner = current.to_save()
    if is_state_file(content):
        structure = parse_states(content, inner)
        sets, counts, optimizer = structure["states"], structure["counts"], structure["optimizer"]
    else:
        data = _load_trusted(content) if trusted else _data(content, inner)
        sets, counts, optimizer = _of_pickle(data)
    if not isinstance(sets, list) or not sets or not all(isinstance(one, dict) for one in sets):
        raise _not_states(sets)
    if isinstance(optimizer, SavedObject) and issubclass(optimizer.kind, Optimizer):
        optimizer = restored_optimizer(optimizer, inner)
    if not isinstance(optimizer, Optimizer | None):
        raise _not_states(optimizer)
    for each in (counts, optimizer and optimizer._all_index_update_counts):
        if each is not None:
            _expect_counts(each)
    if optimizer is not None:
        optimizer = current.of_saved(optimizer)
    for states in sets:
        expect_states(states, optimizer or current, weights, allow_objects=trusted)
    return SavedStates(sets, counts, optimizer)


def _not_states(found: Any) -> StatesError:
    return StatesError(
        f"the file contains a {type(found).__name__}, expected optimizer states: a dict by index, "
        "or a pair of it and an optimizer. Pass a file of Trainer.save_states or "
        "save_optimizer_states"
    )


def _of_pickle(data: Any) -> tuple[Any, Any, Any]:
    """Return states, counts and optimizer in the data of a pickle."""
    optimizer = None
    if isinstance(data, tuple) and len(data) == 2:
        data, optimizer = data
    if not isinstance(data, dict):
        raise _not_states(data)
    counts = data.counts if isinstance(data, CountedStates) else None
    return [dict(data)], counts, optimizer


def _data(content: bytes, current: Optimizer) -> Any:
    types = PickledTypes(len(content))
    return read_data(
        content,
        lambda module, name: types.find(module, name) or saved_object(module, name, current),
    )


def _load_trusted(content: bytes) -> Any:
    try:
        return _TrustingReader(io.BytesIO(content)).load()
    except OpforgeError:
        raise
    except (pickle.UnpicklingError, EOFError, ValueError, IndexError, KeyError) as error:
        raise StatesError(f"the saved states are damaged, or not a pickle: {error}") from error


class _TrustingReader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return a class; those of MXNet are replaced by opforge's."""
        if (module, name) == (__name__, "CountedStates"):
            return CountedStates
        if module.startswith("mxnet.optimizer") or module.startswith("mxnet.lr_scheduler"):
            return class_of(module, name, Optimizer())
        if module.startswith("mxnet."):
            package = __name__.partition(".")[0]
            return super().find_class(f"{package}.{module.split('.')[1]}", name)
        return super().find_class(module, name)


def _expect_counts(counts: Any) -> None:
    """Reject counts that are not a number by device and index."""
    if not isinstance(counts, dict) or not all(
        isinstance(device, int)
        and isinstance(each, dict)
        and all(isinstance(count, int) and count >= 0 for count in each.values())
        for device, each in counts.items()
    ):
        raise StatesError("the saved states contain update counts that are not numbers")
    if not counts:
        raise StatesError("the saved states contain update counts of no device")
