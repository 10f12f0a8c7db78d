"""What MXNet keeps under `contrib`: operators named ``_contrib_x``, and its old autograd.

`nd` and `sym` are `opforge.nd.contrib` and `opforge.sym.contrib`.
"""

from ..ndarray import contrib as nd
from ..symbol import contrib as sym
from . import amp as amp
from . import autograd as autograd

__all__ = ["amp", "autograd", "nd", "ndarray", "sym", "symbol"]

ndarray = nd
symbol = sym
