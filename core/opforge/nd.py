"""`opforge.nd` is `opforge.ndarray`, also for ``import opforge.nd``."""

import sys

from . import ndarray
from .ndarray import __getattr__ as __getattr__  # for type checkers

sys.modules[__name__] = ndarray
