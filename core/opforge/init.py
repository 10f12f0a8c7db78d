"""Alias of `opforge.initializer`, which also supports ``import opforge.init``."""

import sys

from . import initializer

sys.modules[__name__] = initializer
