"""MXNet's `contrib`: operators named ``_contrib_x``, mixed precision, text and others.

`nd` and `sym` are `opforge.nd.contrib` and `opforge.sym.contrib`.
"""

from opforge.ndarray import contrib as nd
from opforge.symbol import contrib as sym

from ..names import add_names as _add_names
from . import amp as amp
from . import autograd as autograd
from . import io as io
from . import svrg_optimization as svrg_optimization
from . import tensorboard as tensorboard
from . import text as text

__all__ = [
    "amp",
    "autograd",
    "io",
    "nd",
    "ndarray",
    "svrg_optimization",
    "sym",
    "symbol",
    "tensorboard",
    "text",
]

ndarray = nd
symbol = sym

_add_names(__name__)
