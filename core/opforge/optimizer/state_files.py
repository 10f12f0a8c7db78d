"""Files of optimizer states: safetensors for the arrays, with the structure as JSON in its header.

The structure is a state of `checkpoint.state_files` in which an array is a reference to one of the
file. Optimizers and schedulers are names of classes with attributes, which `saved_settings` checks.
"""

import io
from collections.abc import Callable, Sequence
from typing import Any

from ..base.context import Context
from ..base.errors import OpforgeError
from ..checkpoint.state_files import dump_state, parse_state
from ..lr_scheduler import LRScheduler
from ..ndarray import NDArray
from ..ndarray.safetensors_bytes import SafetensorsReader, safetensors_head
from ..ndarray.serialization import Content
from ..ndarray.sparse.creation import sparse_class
from .base import Optimizer
from .pickled_data import StatesError
from .pickled_types import saved_context
from .saved_settings import SavedObject, class_of

__all__ = ["dump_states", "is_state_file", "parse_states"]

#: Name of the structure in the header.
_STRUCTURE = "opforge.optimizer_states"
Part = Callable[[Any], Any]


def is_state_file(content: bytes) -> bool:
    """Return whether content has this format, rather than that of a pickle."""
    return content[4:9] == b"\0\0\0\0{"


def dump_states(
    states: Sequence[dict[Any, Any]], optimizer: Optimizer, dump_optimizer: bool
) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    states : sequence of dict
        States by index of each updater.
    optimizer : Optimizer
        Its update counts are saved.
    dump_optimizer : bool
        Whether to save its settings as well.

    Raises
    ------
    TypeError
        A state or setting is an object that the format cannot hold.
    """
    optimizer = optimizer.to_save()
    writer = _Writer(optimizer)
    structure = {
        "states": list(states),
        "counts": optimizer._all_index_update_counts,
        "optimizer": optimizer if dump_optimizer else None,
    }
    text = dump_state(structure, writer.encode).decode()
    names = [*writer.arrays]
    head, arrays = safetensors_head(names, [*writer.arrays.values()], {_STRUCTURE: text})
    file = io.BytesIO()
    file.write(head)
    for array in arrays:
        Content(array).write_elements(file)
    return file.getvalue()


def parse_states(content: bytes, current: Optimizer) -> dict[str, Any]:
    """Return the structure in the content of a file, with its arrays.

    Parameters
    ----------
    content : bytes
    current : Optimizer
        Optimizer that the states are for.

    Raises
    ------
    StatesError
        The content is damaged, or does not contain states.
    """
    file = SafetensorsReader(io.BytesIO(content), len(content), "the file of states")
    try:
        arrays = file.arrays()
        text = dict(file.metadata)[_STRUCTURE]
        structure = parse_state(text, "the file of states", _kinds(arrays, current))
        if not isinstance(structure, dict) or structure.keys() != _KEYS:
            raise ValueError("it lacks states, counts or optimizer")
    except StatesError:
        raise
    except (OpforgeError, KeyError, TypeError, ValueError) as error:
        raise StatesError(
            f"the file does not contain optimizer states, or is damaged: {error!s:.200}. Pass a "
            "file of Trainer.save_states or save_optimizer_states"
        ) from error
    return structure


_KEYS = {"states", "counts", "optimizer"}


class _Writer:
    """Arrays of a file by name, and the references to them.

    Parameters
    ----------
    optimizer : Optimizer
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.arrays: dict[str, Any] = {}
        self._names: dict[int, str] = {}
        self._optimizer = optimizer

    def encode(self, value: Any, part: Part) -> dict[str, Any] | None:
        """Return an array, optimizer, scheduler or context as a named kind."""
        if isinstance(value, NDArray):
            if value.stype == "default":
                return {"ndarray": [self._name(value), list(value.shape)]}
            names = [self._name(each) for each in value._parts()]
            return {"sparse": [value.stype, list(value.shape), names]}
        if isinstance(value, Context):
            return {"context": [value.device_type, value.device_id]}
        is_setting = value is self._optimizer or value is self._optimizer.lr_scheduler
        if is_setting or isinstance(value, LRScheduler):
            kind = type(value)
            attributes = value.__getstate__() or {}
            return {"object": [kind.__module__, kind.__qualname__, part(attributes)]}
        return None

    def _name(self, array: Any) -> str:
        """Return the name of an array, which is saved once; sparse parts are new objects."""
        name = self._names.setdefault(id(array), str(len(self.arrays)))
        self.arrays[name] = array  # keeps it alive, so that its id stays unique
        return name


def _kinds(arrays: dict[str, Any], current: Optimizer) -> dict[str, Callable[[Any, Part], Any]]:
    """Return the parsers of the kinds that `_Writer` encodes."""

    def ndarray(content: Any, parse: Part) -> Any:
        name, shape = content
        array = arrays[name]
        return array if array.shape == tuple(shape) else array.reshape(tuple(shape))

    def sparse(content: Any, parse: Part) -> Any:
        stype, shape, names = content
        parts = [arrays[name] for name in names]
        made = sparse_class(stype)._of_loaded(tuple(shape), *parts)
        made.check_format(full_check=True)
        return made

    def context(content: Any, parse: Part) -> Any:
        return saved_context(*content)

    def restored(content: Any, parse: Part) -> Any:
        module, name, attributes = content
        saved = SavedObject(class_of(module, name, current))
        saved.build(parse(attributes))
        return saved.result(lambda value: value)

    return {"ndarray": ndarray, "sparse": sparse, "context": context, "object": restored}
