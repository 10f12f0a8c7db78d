"""`opforge.nd` is `opforge.ndarray`, also for ``import opforge.nd``."""

import sys

from . import ndarray

sys.modules[__name__] = ndarray
