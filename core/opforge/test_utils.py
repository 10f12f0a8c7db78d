"""Comparisons, random arrays and gradient checks for tests, under MXNet's names.

New tests may prefer `opforge.testing`, which checks a whole operator at once.
"""

from .testing._comparison import almost_equal as almost_equal
from .testing._comparison import assert_almost_equal as assert_almost_equal
from .testing._comparison import assert_exception as assert_exception
from .testing._comparison import get_atol as get_atol
from .testing._comparison import get_rtol as get_rtol
from .testing._comparison import same as same
from .testing._comparison import same_array as same_array
from .testing._numeric_gradient import check_numeric_gradient as check_numeric_gradient
from .testing._samples import default_context as default_context
from .testing._samples import default_dtype as default_dtype
from .testing._samples import rand_ndarray as rand_ndarray
from .testing._samples import rand_shape_2d as rand_shape_2d
from .testing._samples import rand_shape_3d as rand_shape_3d
from .testing._samples import rand_shape_nd as rand_shape_nd
from .testing._samples import random_arrays as random_arrays
from .testing._samples import set_default_context as set_default_context

__all__ = [
    "almost_equal",
    "assert_almost_equal",
    "assert_exception",
    "check_numeric_gradient",
    "default_context",
    "default_dtype",
    "get_atol",
    "get_rtol",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "random_arrays",
    "same",
    "same_array",
    "set_default_context",
]
