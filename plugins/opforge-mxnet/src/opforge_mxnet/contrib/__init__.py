"""MXNet's `contrib`: operators named ``_contrib_x``, mixed precision, the old autograd, and text.

`nd` and `sym` are `opforge.nd.contrib` and `opforge.sym.contrib`.
"""

from opforge.ndarray import contrib as nd
from opforge.symbol import contrib as sym

from ..names import add_names as _add_names
from . import amp as amp
from . import autograd as autograd
from . import text as text

__all__ = ["amp", "autograd", "nd", "ndarray", "sym", "symbol", "text"]

ndarray = nd
symbol = sym

_add_names(__name__)
