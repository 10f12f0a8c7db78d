"""`mx.np`: NumPy's functions on arrays with gradients."""

from ..arrays import ndarray as ndarray
from ..creation import *  # noqa: F403
from ..cumulative_sums import *  # noqa: F403
from ..elementwise import *  # noqa: F403
from ..fallback import *  # noqa: F403
from ..insertion import *  # noqa: F403
from ..joining import *  # noqa: F403
from ..products import *  # noqa: F403
from ..rearranging import *  # noqa: F403
from ..reductions import *  # noqa: F403
from ..selection import *  # noqa: F403
from ..shapes import *  # noqa: F403
from ..sorting import *  # noqa: F403
from ..statistics import *  # noqa: F403
from . import fallback as fallback
from . import fallback_linalg as fallback_linalg
from . import linalg as linalg
from . import random as random

__all__ = [
    name for name in globals() if not name.startswith("_") and not name.startswith("fallback")
]
