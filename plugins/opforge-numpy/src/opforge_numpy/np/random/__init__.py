"""`np.random`: arrays of random numbers with NumPy's parameters.

Arrays of parameters broadcast with each other and with `size`. The functions work on symbols too.
"""

from typing import Any

from opforge.plugin_api import F as _nd

from . import choices as _choices
from . import continuous as _continuous
from . import gammas as _gammas
from .choices import *  # noqa: F403
from .continuous import *  # noqa: F403
from .gammas import *  # noqa: F403
from .vectors import multivariate_normal as multivariate_normal

__all__ = ["multivariate_normal", "seed"]
__all__ += _choices.__all__
__all__ += _continuous.__all__
__all__ += _gammas.__all__


def seed(seed: int, ctx: Any = "all") -> None:
    """Restart the stream of random numbers; see `opforge.random.seed`."""
    _nd.random.seed(seed, ctx)
