"""`mx.npx`: operators, switches and files beyond NumPy, for arrays of `mx.np`.

Operators are those of `opforge.nd` under the names of the table in `operators.py`.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from opforge.plugin_api import F as _nd
from opforge.plugin_api import RenamedOperators as _RenamedOperators
from opforge.plugin_api import context as _context
from opforge.plugin_api import numpy_semantics as _semantics

from ..decorators import use_np as use_np
from ..decorators import use_np_array as use_np_array
from ..decorators import use_np_shape as use_np_shape
from . import files as _files
from . import functions as _functions
from . import random as random
from .devices import gpu_memory_info as gpu_memory_info
from .exchange import from_dlpack as from_dlpack
from .exchange import from_numpy as from_numpy
from .files import *  # noqa: F403
from .functions import *  # noqa: F403
from .operators import OPERATORS as _OPERATORS
from .random import bernoulli as bernoulli
from .random import seed as seed
from .reshaping import reshape as reshape

if _TYPE_CHECKING:
    from . import image as image

Context, cpu, cpu_pinned, gpu = _context.Context, _context.cpu, _context.cpu_pinned, _context.gpu
current_context, num_gpus = _context.current_context, _context.num_gpus
is_np_array, is_np_shape = _semantics.is_np_array, _semantics.is_np_shape
is_np_default_dtype = _semantics.is_np_default_dtype
np_array, np_shape = _semantics.np_array, _semantics.np_shape
reset_np, set_np, set_np_shape = _semantics.reset_np, _semantics.set_np, _semantics.set_np_shape
waitall = _nd.waitall
to_dlpack_for_read = _nd.to_dlpack_for_read
to_dlpack_for_write = _nd.to_dlpack_for_write

__all__ = [
    "Context",
    "bernoulli",
    "cpu",
    "cpu_pinned",
    "current_context",
    "from_dlpack",
    "from_numpy",
    "gpu",
    "gpu_memory_info",
    "image",
    "is_np_array",
    "is_np_default_dtype",
    "is_np_shape",
    "np_array",
    "np_shape",
    "num_gpus",
    "random",
    "reset_np",
    "reshape",
    "seed",
    "set_np",
    "set_np_shape",
    "to_dlpack_for_read",
    "to_dlpack_for_write",
    "use_np",
    "use_np_array",
    "use_np_shape",
    "waitall",
]
__all__ += _files.__all__
__all__ += _functions.__all__
__all__ += _OPERATORS

_operator = _RenamedOperators(globals(), _OPERATORS, lambda: _nd).attribute


def __getattr__(name: str) -> _Any:
    if name == "image":
        from importlib import import_module

        return import_module(f"{__name__}.image")
    return _operator(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
