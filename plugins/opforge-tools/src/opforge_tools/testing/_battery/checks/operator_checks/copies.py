"""Check that declarations can be pickled and copied and restored from attribute strings."""

import copy
import pickle
import sys
from typing import Any

from opforge.op.declaring.declaration import OperatorProp

from ...subjects.subject import OperatorSubject

__all__ = ["check_copies"]


def check_copies(subject: OperatorSubject) -> int:
    """Copy the declaration of each sample by each method and compare the attributes."""
    for sample in subject.samples:
        prop = subject.prop(sample)
        _compare(copy.deepcopy(prop), prop, f"{sample}: a deep copy")
        if _importable(subject.prop_class):
            _compare(pickle.loads(pickle.dumps(prop)), prop, f"{sample}: a pickled copy")
        if isinstance(prop, OperatorProp):
            strings = prop.attribute_strings()
            _compare(subject.prop_class(**strings), prop, f"{sample}: the strings {strings}")
    return len(subject.samples)


def _importable(prop_class: type) -> bool:
    """Return whether pickle can import a class; classes defined in functions cannot be pickled."""
    found: Any = sys.modules.get(prop_class.__module__)
    for part in prop_class.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is prop_class


def _compare(have: Any, want: Any, what: str) -> None:
    if type(have) is not type(want):
        raise AssertionError(f"{what} is a {type(have).__name__}")
    for method in ("list_arguments", "list_outputs", "list_auxiliary_states"):
        if getattr(have, method)() != getattr(want, method)():
            raise AssertionError(f"{what} differs in {method}()")
    for key in getattr(want, "attributes", ()):
        a, b = getattr(have, key), getattr(want, key)
        if not (a == b or (a != a and b != b)):
            raise AssertionError(f"{what} has {key}={a!r}, expected {b!r}")
