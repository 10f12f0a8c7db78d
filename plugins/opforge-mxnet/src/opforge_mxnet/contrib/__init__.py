"""What MXNet keeps under `contrib`: operators named ``_contrib_x``, its old autograd, and its text.

`nd` and `sym` are `opforge.nd.contrib` and `opforge.sym.contrib`.
"""

from opforge.ndarray import contrib as nd
from opforge.symbol import contrib as sym

from . import amp as amp
from . import autograd as autograd
from . import text as text

__all__ = ["amp", "autograd", "nd", "ndarray", "sym", "symbol", "text"]

ndarray = nd
symbol = sym
