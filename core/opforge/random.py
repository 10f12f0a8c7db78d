"""Random numbers: `opforge.random.seed`, and the functions of `opforge.nd.random`."""

from .ndarray.random import *  # noqa: F403
from .ndarray.random import __all__ as __all__
