"""Arguments of an iterator, taken apart into dataclasses whose fields are what MXNet documents."""

import difflib
import warnings
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from opforge.plugin_api import AttributeValueError

__all__ = ["taken"]

_FLAGS = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}
#: Arguments of MXNet's that have no meaning here.
_IGNORED = ("aug_seq", "ctx", "device_id", "shuffle_chunk_seed", "shuffle_chunk_size", "verbose")


def taken(owner: str, given: Mapping[str, Any], *classes: type[Any]) -> list[Any]:
    """Return one object of each class, made of those arguments that are its fields.

    Parameters
    ----------
    owner : str
        Whose arguments they are.
    given : mapping
        Numbers and flags may be given as text. Unknown arguments are left out, with a warning.
    *classes : type
        Dataclasses.

    Raises
    ------
    AttributeValueError
        A value is of another type than the default.

    Examples
    --------
    >>> from opforge_image.record_iter.normalization import Normalization
    >>> taken("ImageRecordIter", {"mean_r": "2.5", "mirror": "True"}, Normalization)[0].mean_r
    2.5
    """
    known = [field.name for cls in classes for field in fields(cls)]
    for name in given.keys() - {*known, *_IGNORED}:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        warnings.warn(f"{owner}: unknown argument {name} is ignored{hint}", stacklevel=3)
    return [
        cls(
            **{
                field.name: _converted(owner, field.name, given[field.name], field.default)
                for field in fields(cls)
                if field.name in given
            }
        )
        for cls in classes
    ]


def _converted(owner: str, name: str, value: Any, default: Any) -> Any:
    if default is None or default is MISSING:
        return value
    try:
        if isinstance(default, tuple):
            return tuple(
                map(type(default[0]), value if isinstance(value, tuple | list) else [value])
            )
        return _FLAGS[str(value)] if isinstance(default, bool) else type(default)(value)
    except (KeyError, TypeError, ValueError):
        raise AttributeValueError(
            f"{owner}: argument {name}: got {value!r}, expected {type(default).__name__}"
        ) from None
