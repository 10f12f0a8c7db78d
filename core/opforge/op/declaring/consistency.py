"""Collection of the attributes in the body of a declaration, and checks of the whole body."""

from collections.abc import Collection, Sequence
from typing import Any

from .attribute import Attribute
from .category import check_category
from .element_types import check_declared_types
from .epilogue import check_epilogues
from .named_attributes import check_kinds

__all__ = ["check_declaration", "collect_attributes"]

#: Names that attributes must not have, because the generated function has such parameters.
_RESERVED = frozenset({"op_type", "out"})


def collect_attributes(cls: type, skipped: Collection[type] = frozenset()) -> dict[str, Attribute]:
    """Return the attributes of `cls`, those of bases first; None in a body removes one.

    Parameters
    ----------
    cls : type
    skipped : collection of type
        Bases without attributes, because an import collects attributes 200 times.
    """
    found: dict[str, Attribute] = {}
    for base in reversed(cls.__mro__):
        if base in skipped:
            continue
        for key, value in base.__dict__.items():
            if isinstance(value, Attribute):
                found[key] = value
            elif key in found:
                del found[key]
    return found


def check_declaration(cls: Any, protocol: Collection[str]) -> None:
    """Reject a declaration that is inconsistent, or conflicts with others in kinds of `attrs`.

    Parameters
    ----------
    cls : type
        Subclass of `OperatorProp`.
    protocol : collection of str
        Members of `OperatorProp`, which an attribute of the same name would hide.
    """
    where = f"operator declaration {cls.__qualname__}"
    lists = ("arguments", "outputs", "auxiliary_states", "aliases", "saves")
    for field in (*lists, "epilogues", "epilogue_dtypes"):
        value = getattr(cls, field)
        if isinstance(value, str) or not isinstance(value, Sequence):
            remedy = f"; write {field} = ({value!r},)" if isinstance(value, str) else ""
            raise TypeError(f"{where}: {field} is {value!r}, expected a tuple of names{remedy}")
    if not isinstance(cls.version, int) or isinstance(cls.version, bool) or cls.version < 1:
        raise TypeError(f"{where}: version is {cls.version!r}, expected a number from 1")
    if not isinstance(cls.name, str):
        raise TypeError(f"{where}: name is {cls.name!r}, expected a string")
    check_category(where, cls.category)
    check_epilogues(where, cls.epilogues, cls.epilogue_dtypes)
    for key in cls.attributes:
        if key in _RESERVED or key in protocol:
            raise TypeError(f"{where}: an attribute cannot be called {key!r}; choose another name")
        if key in cls.arguments:
            raise TypeError(f"{where}: {key!r} is both an input and an attribute")
    if cls.variadic is not None and cls.variadic not in cls.attributes:
        raise TypeError(
            f"{where}: variadic = {cls.variadic!r} is not an attribute; "
            f"add {cls.variadic} = Attribute(int, default=1, ge=1)"
        )
    if cls.variadic is not None:
        cls.attributes[cls.variadic].limit_count()
    if cls.shapes_from_values and cls.compose is None:
        raise TypeError(
            f"{where}: shapes_from_values is True, but compose(self, F, *inputs), which computes "
            "outputs and their shapes, is missing"
        )
    if cls.name:  # attributes and inputs of a base without a name may be incomplete
        check_declared_types(where, cls)
    check_kinds(cls.name or cls.__qualname__, cls.__dict__.get("attrs", {}))
