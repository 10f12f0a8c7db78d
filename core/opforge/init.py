"""`opforge.init` is `opforge.initializer`, also for ``import opforge.init``."""

import sys

from . import initializer

sys.modules[__name__] = initializer
