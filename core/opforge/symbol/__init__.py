"""Layer 4: the `sym` namespace, Symbol and every operator as a function that composes graphs.

Functions of operators are made when they are first used, as in `opforge.nd`; both are made from the
same declarations, so that nothing here lists operators.
"""

from typing import Any

from .. import ndarray as _ndarray  # noqa: F401 - the class of the arrays that executors give
from .. import plugin as _plugin  # noqa: F401 - tells the registry where to find providers
from .. import std as _std
from ..op.calling.binding import general_handle as _general_handle
from ..op.calling.functions import Functions as _Functions
from ..op.calling.functions import not_found as _not_found
from ..op.calling.namespaces import make_namespace as _make_namespace
from ..op.calling.signature import make_function as _make_function
from ..op.registry.entry import Entry as _Entry
from ..op.registry.registry import names as _names
from . import binding as _binding  # noqa: F401 - the methods of symbols that bind
from . import random as random
from .composition import call_operator as _call_operator
from .control.functions import cond as _cond
from .control.functions import foreach as _foreach
from .control.functions import while_loop as _while_loop
from .creation import arange as arange
from .creation import eye as eye
from .creation import full as full
from .creation import linspace as linspace
from .creation import ones as ones
from .creation import zeros as zeros
from .custom import Custom as Custom
from .files.loading import load as load
from .files.loading import load_json as load_json
from .functions import add as add
from .functions import concatenate as concatenate
from .functions import divide as divide
from .functions import einsum as einsum
from .functions import equal as equal
from .functions import greater as greater
from .functions import greater_equal as greater_equal
from .functions import hypot as hypot
from .functions import lesser as lesser
from .functions import lesser_equal as lesser_equal
from .functions import logical_and as logical_and
from .functions import logical_or as logical_or
from .functions import logical_xor as logical_xor
from .functions import maximum as maximum
from .functions import minimum as minimum
from .functions import modulo as modulo
from .functions import moveaxis as moveaxis
from .functions import multiply as multiply
from .functions import not_equal as not_equal
from .functions import pow as pow
from .functions import power as power
from .functions import subtract as subtract
from .functions import true_divide as true_divide
from .symbol import Group as Group
from .symbol import Symbol as Symbol
from .variable import Variable as Variable
from .variable import var as var

_std.register()
# What declarations call without a name, as `opforge.ndarray._invoke`.
_invoke = _call_operator

op = _make_namespace(__name__, "op", "All operators.", "")
_internal = _make_namespace(__name__, "_internal", "Operators whose names begin with _.", "")
contrib = _make_namespace(
    __name__,
    "contrib",
    "Control flow, and operators named _contrib_x, as x.",
    "_contrib_",
    "",
    functions=(_cond, _foreach, _while_loop),
)
image = _make_namespace(__name__, "image", "Operators named _image_x, as x.", "_image_")
linalg = _make_namespace(__name__, "linalg", "Operators named _linalg_x, as x.", "_linalg_")
sparse = _make_namespace(__name__, "sparse", "Operators; _sparse_x as x.", "_sparse_", "")

__all__ = [
    "Custom",
    "Group",
    "Symbol",
    "Variable",
    "add",
    "arange",
    "concatenate",
    "contrib",
    "divide",
    "einsum",
    "equal",
    "eye",
    "full",
    "greater",
    "greater_equal",
    "hypot",
    "image",
    "lesser",
    "lesser_equal",
    "linalg",
    "linspace",
    "load",
    "load_json",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "moveaxis",
    "multiply",
    "not_equal",
    "ones",
    "op",
    "pow",
    "power",
    "random",
    "sparse",
    "subtract",
    "true_divide",
    "var",
    "zeros",
]


def _make(entry: _Entry) -> Any:
    return _make_function(
        entry, _call_operator, _general_handle(entry), module=__name__, symbolic=True
    )


_FUNCTIONS = _Functions(globals(), _make)
_MISSING = _FUNCTIONS.missing


def __getattr__(name: str) -> Any:
    if name in _MISSING:
        raise _not_found(name)
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _FUNCTIONS.get(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_names()})
