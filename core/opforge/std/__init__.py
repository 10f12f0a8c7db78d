"""Layer 3: the primitive operators, declared as rows of a table.

`register` adds all of them to the registry; no other code has a list of them.
"""

from ..base.version import VERSION
from ..op.registry.registry import register_operator, transaction
from . import allclose as allclose

# Importing these modules fills `ROWS`.
from . import backward as backward
from . import binary as binary
from . import blocking as blocking
from . import broadcasting as broadcasting
from . import creation as creation
from . import custom_gradients as custom_gradients
from . import einsum as einsum
from . import gathering as gathering
from . import linear as linear
from . import matmul as matmul
from . import movement as movement
from . import ordering as ordering
from . import pointwise as pointwise
from . import precision as precision
from . import prod as prod
from . import random as random
from . import reduce as reduce
from . import reshaping as reshaping
from . import scalar as scalar
from . import selecting as selecting
from . import slicing as slicing
from . import storage as storage
from . import unary as unary
from ._operator import ROWS as ROWS

__all__ = ["ROWS", "register"]


def register() -> None:
    """Register all primitive operators; repeated calls have no effect."""
    # A plugin that is the first to need them may fail to load afterwards.
    with transaction(independent=True):
        for row in ROWS:
            register_operator(row, version=VERSION)
