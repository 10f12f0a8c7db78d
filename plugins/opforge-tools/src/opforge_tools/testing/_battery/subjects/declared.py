"""Tables of options that authors define: `OPERATOR_CHECKS` and `LAYER_CHECKS`.

They are in the module ``checks`` of the plugin's package, or in the module of the declaration
itself. Each maps a name to the arguments of `check_op` or `check_layer` as a plain dictionary, so
that a plugin needs no imports. Only the battery imports that module.
"""

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from opforge.op.registry.entry import Entry

__all__ = ["author_options", "declared_arguments"]


def declared_arguments(checked: Any, name: str, table: str) -> dict[str, Any]:
    """Return the arguments that the author declared for an operator or layer.

    Parameters
    ----------
    checked : type
        Declaration or layer class.
    name : str
        Registered name.
    table : {"OPERATOR_CHECKS", "LAYER_CHECKS"}

    Raises
    ------
    TypeError
        The table or its entry is not a dictionary.
    """
    for module in _modules(checked.__module__):
        rows = getattr(module, table, {})
        row = rows.get(name) if isinstance(rows, Mapping) else None
        if not isinstance(rows, Mapping) or not isinstance(row or {}, Mapping):
            raise TypeError(
                f"{module.__name__}.{table} must be a dictionary from names to dictionaries of "
                f"arguments, got {rows!r}"
            )
        if row is not None:
            return dict(row)
    return {}


def author_options(entry: Entry, table: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options, with None replaced by the author's declaration.

    Options declared for ``name@version`` apply only to that version of an operator.

    Raises
    ------
    ValueError
        The author declared an option that does not exist.
    """
    versioned = f"{entry.name}@{entry.operator_version}"
    declared = declared_arguments(entry.prop_class, versioned, table)
    declared = declared or declared_arguments(entry.prop_class, entry.name, table)
    unknown = sorted(set(declared) - set(given))
    if unknown:
        raise ValueError(
            f"{table}[{entry.name!r}] has {', '.join(unknown)}, expected some of {', '.join(given)}"
        )
    return {**declared, **{key: value for key, value in given.items() if value is not None}}


def _modules(name: str) -> Iterator[ModuleType]:
    """Yield the declaration's module, then ``checks`` of each enclosing package."""
    own = sys.modules.get(name)
    if own is not None:
        yield own
    parent = name if hasattr(own, "__path__") else name.rpartition(".")[0]
    while parent:
        if find_spec(f"{parent}.checks") is not None:
            yield import_module(f"{parent}.checks")
        parent = parent.rpartition(".")[0]
