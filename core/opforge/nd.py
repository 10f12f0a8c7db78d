"""`opforge.nd` is `opforge.ndarray`, also for ``import opforge.nd``."""

import sys
from typing import TYPE_CHECKING

from . import ndarray
from .ndarray import __getattr__ as __getattr__  # for type checkers

if TYPE_CHECKING:
    from .ndarray import *  # noqa: F403

sys.modules[__name__] = ndarray
