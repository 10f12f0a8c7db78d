"""Creation of arrays: from values, filled, ranges, grids and diagonals; types and constants."""

from . import constants, diagonals, filling, matrices, ranges, values
from .constants import *  # noqa: F403
from .diagonals import *  # noqa: F403
from .filling import *  # noqa: F403
from .matrices import *  # noqa: F403
from .ranges import *  # noqa: F403
from .values import *  # noqa: F403

__all__ = [
    *constants.__all__,
    *diagonals.__all__,
    *filling.__all__,
    *matrices.__all__,
    *ranges.__all__,
    *values.__all__,
]
