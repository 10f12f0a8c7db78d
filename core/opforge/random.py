"""Random numbers: `opforge.random.seed`, and the functions of `opforge.nd.random`."""

from .base.module_aliases import add_aliases as _add_aliases
from .ndarray.random import *  # noqa: F403
from .ndarray.random import __all__ as __all__

_add_aliases(__name__)
