"""Conversion of an iterator's arguments to dataclasses with the documented fields of MXNet."""

import difflib
import warnings
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from opforge.plugin_api import AttributeValueError

__all__ = ["build_settings"]

_FLAGS = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}
#: Arguments of MXNet that have no effect here.
_IGNORED = ("aug_seq", "ctx", "device_id", "shuffle_chunk_seed", "shuffle_chunk_size", "verbose")


def build_settings(owner: str, arguments: Mapping[str, Any], *classes: type[Any]) -> list[Any]:
    """Return one object of each class, created from the arguments that are its fields.

    Parameters
    ----------
    owner : str
        Name of the iterator, for errors and warnings.
    arguments : mapping
        Arguments; numbers and flags may be text. Unknown arguments are ignored with a warning.
    *classes : type
        Dataclasses.

    Raises
    ------
    AttributeValueError
        A value cannot be converted to the type of its default.

    Examples
    --------
    >>> from opforge_image.record_iter.normalization import Normalization
    >>> arguments = {"mean_r": "2.5", "mirror": "True"}
    >>> build_settings("ImageRecordIter", arguments, Normalization)[0].mean_r
    2.5
    """
    known = [field.name for cls in classes for field in fields(cls)]
    for name in arguments.keys() - {*known, *_IGNORED}:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        warnings.warn(f"{owner}: unknown argument {name} is ignored{hint}", stacklevel=3)
    return [
        cls(
            **{
                field.name: _convert(owner, field.name, arguments[field.name], field.default)
                for field in fields(cls)
                if field.name in arguments
            }
        )
        for cls in classes
    ]


def _convert(owner: str, name: str, value: Any, default: Any) -> Any:
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
            f"{owner}: argument {name}: got {value!r}; expected {type(default).__name__}"
        ) from None
