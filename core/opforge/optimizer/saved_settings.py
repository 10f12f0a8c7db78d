"""Optimizers and schedulers of saved states: found by name, and set from plain attributes.

No class is created or changed. A class is one of opforge, a registered optimizer, a scheduler that
the program defined, or that of the current optimizer.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .. import lr_scheduler
from .base import Optimizer, registered_class
from .pickled_data import Function, StatesError, Unfinished

__all__ = ["SavedObject", "class_of", "restored_optimizer", "saved_object"]

_PACKAGE = __name__.partition(".")[0]
_NUMBER = (int, float, np.number)
#: Attributes of every optimizer that are numbers.
_REQUIRED_NUMBERS = ("rescale_grad", "wd", "begin_num_update", "num_update")


class SavedObject(Unfinished):
    """Optimizer or scheduler, whose attributes follow.

    Attributes
    ----------
    kind : type
    attributes : dict of str to object
    """

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.attributes: dict[str, Any] = {}

    def build(self, state: Any) -> None:
        """Set the attributes."""
        if type(state) is not dict or self.attributes:
            raise TypeError(f"a {self.kind.__name__} has a {type(state).__name__} of attributes")
        self.attributes = state

    def result(self, finished: Callable[[Any], Any]) -> Any:
        """Return a scheduler, or this object for an optimizer, which is restored last."""
        self.attributes = finished(self.attributes)
        _check_names(self.kind, self.attributes)
        if issubclass(self.kind, Optimizer):
            return self
        made: Any = object.__new__(self.kind)
        _set_attributes(made, self.attributes)
        return made


def saved_object(module: str, name: str, current: Optimizer) -> Function:
    """Return the function that restores the objects of a class, for a reader of pickles.

    Raises
    ------
    StatesError
        States do not contain objects of this class.
    """
    kind = class_of(module, name, current)
    return Function(lambda: SavedObject(kind))


def class_of(module: str, name: str, current: Optimizer) -> type:
    """Return the class of an optimizer or scheduler in saved states.

    Parameters
    ----------
    module, name : str
        Where opforge, MXNet or the program defines the class.
    current : Optimizer
        Optimizer of the trainer that the states are for.

    Raises
    ------
    StatesError
        The class does not exist, or is not an optimizer or scheduler.
    """
    for kind in _known_classes(current):
        if (kind.__module__, kind.__qualname__) == (module, name):
            return kind
    package, _, rest = module.partition(".")
    if package == "mxnet":
        found: Any = None
        if rest.partition(".")[0] == "lr_scheduler":
            found = getattr(lr_scheduler, name, None)
        elif rest.partition(".")[0] == "optimizer":
            found = registered_class(name)
        if isinstance(found, type) and issubclass(found, Optimizer | lr_scheduler.LRScheduler):
            return found
        raise StatesError(
            f"the saved states are MXNet's and contain a {module}.{name}, which "
            f"{_PACKAGE}.{rest.partition('.')[0]} lacks. Install a plugin that provides it, or "
            "start with new states"
        )
    found = registered_class(name)
    if found is not None and found.__module__ == module:
        return found
    raise StatesError(
        f"the saved states name {module}.{name}, which is not an array, optimizer or scheduler "
        "of this program. Import the module that defines it, register the optimizer, or pass "
        "trusted=True if you trust the file, which may then run arbitrary code"
    )


def _known_classes(current: Optimizer) -> Iterator[type]:
    """Yield the classes of the current optimizer and its scheduler, and all schedulers."""
    yield type(current)
    if current.lr_scheduler is not None:
        yield type(current.lr_scheduler)
    pending: list[type] = [lr_scheduler.LRScheduler]
    while pending:
        kind = pending.pop()
        yield kind
        pending.extend(kind.__subclasses__())


def restored_optimizer(saved: SavedObject, current: Optimizer) -> Optimizer:
    """Return an optimizer with the saved attributes.

    Parameters
    ----------
    saved : SavedObject
    current : Optimizer
        Its attributes apply where the file has none, if it is of the same class.

    Raises
    ------
    StatesError
        An attribute has another type than in other optimizers of the class.
    """
    template = current if type(current) is saved.kind else _create(saved.kind)
    before = template.__getstate__()
    _check_attributes(saved, before)
    made: Any = object.__new__(saved.kind)
    _set_attributes(made, {**before, **saved.attributes})
    return made


def _create(kind: type) -> Any:
    try:
        return kind()
    except TypeError as error:
        raise StatesError(
            f"the saved states contain a {kind.__name__}, which cannot be created without "
            f"arguments ({error}). Create the trainer with a {kind.__name__}, then load the states"
        ) from error


def _set_attributes(made: Any, attributes: dict[str, Any]) -> None:
    set_state = getattr(made, "__setstate__", None)
    if set_state is None:
        vars(made).update(attributes)
    else:
        set_state(attributes)


def _check_names(kind: type, attributes: Mapping[Any, Any]) -> None:
    """Reject attributes that replace methods."""
    for name in attributes:
        is_plain = type(name) is str and name.isidentifier() and not name.startswith("__")
        if not is_plain or callable(getattr(kind, name, None)):
            raise StatesError(
                f"the saved states set {str(name)[:40]!r} of a {kind.__name__}, which is not an "
                "attribute for data"
            )


def _check_attributes(saved: SavedObject, before: Mapping[str, Any]) -> None:
    """Compare the types of attributes with those of another optimizer of the class."""
    for name, value in saved.attributes.items():
        old = before.get(name)
        if name in _REQUIRED_NUMBERS:
            fits = isinstance(value, _NUMBER)
        elif name == "lr_scheduler":
            fits = value is None or callable(value)
        elif name in ("_all_index_update_counts", "_index_update_count"):
            fits = isinstance(value, dict)
        elif old is None or value is None:
            fits = True
        elif isinstance(old, _NUMBER):
            fits = isinstance(value, _NUMBER)
        else:
            fits = isinstance(value, type(old))
        if not fits:
            raise StatesError(
                f"the saved states contain a {saved.kind.__name__} whose {name} is a "
                f"{type(value).__name__}; expected a {type(old).__name__}"
            )
