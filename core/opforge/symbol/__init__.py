"""Layer 4: the `sym` namespace, Symbol and every operator as a function that composes graphs.

Functions of operators are created on first use, as in `opforge.nd`. Both namespaces use the same
declarations, so no operators are listed here.
"""

from typing import Any

from .. import ndarray as _ndarray  # noqa: F401 - the class of the arrays that executors give
from .. import plugin as _plugin  # noqa: F401 - tells the registry where to find providers
from .. import std as _std
from ..op.calling.binding import graph_handle as _graph_handle
from ..op.calling.functions import Functions as _Functions
from ..op.calling.namespaces import make_common_namespaces as _make_common_namespaces
from ..op.calling.namespaces import make_namespace as _make_namespace
from ..op.calling.signature import make_function as _make_function
from ..op.registry.entry import Entry as _Entry
from ..op.registry.registry import names as _names
from . import binding as _binding  # noqa: F401 - the methods of symbols that bind
from . import creation as _creation
from . import functions as _functions
from . import random as random
from .composition import call_operator as _call_operator
from .control.functions import cond as _cond
from .control.functions import foreach as _foreach
from .control.functions import while_loop as _while_loop
from .creation import *  # noqa: F403
from .custom import Custom as Custom
from .files.loading import load as load
from .files.loading import load_json as load_json
from .functions import *  # noqa: F403
from .partitioning import optimizing as _optimizing  # noqa: F401 - the method optimize_for
from .symbol import Group as Group
from .symbol import Symbol as Symbol
from .variable import Variable as Variable
from .variable import var as var

_std.register()
# Declarations call operators through this name, as through `opforge.ndarray._invoke`.
_invoke = _call_operator

op, _internal, contrib, image, linalg = _make_common_namespaces(
    __name__, (_cond, _foreach, _while_loop)
)
sparse = _make_namespace(__name__, "sparse", "Operators; _sparse_x as x.", "_sparse_", "")

__all__ = [
    "Custom",
    "Group",
    "Symbol",
    "Variable",
    "contrib",
    "image",
    "linalg",
    "load",
    "load_json",
    "op",
    "random",
    "sparse",
    "var",
]
__all__ += _creation.__all__
__all__ += _functions.__all__


def _make(entry: _Entry) -> Any:
    return _make_function(
        entry, _call_operator, _graph_handle(entry), module=__name__, symbolic=True
    )


_FUNCTIONS = _Functions(globals(), _make)
__getattr__ = _FUNCTIONS.attribute


def __dir__() -> list[str]:
    return sorted({*globals(), *_names()})
