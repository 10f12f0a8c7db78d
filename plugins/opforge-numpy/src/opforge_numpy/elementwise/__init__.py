"""Elementwise functions: arithmetic, comparison, rounding and the elementary functions."""

from . import binary, selecting, unary
from .binary import *  # noqa: F403
from .operands import write_out as write_out
from .operators import operate as operate
from .selecting import *  # noqa: F403
from .unary import *  # noqa: F403

__all__ = [*unary.__all__, *binary.__all__, *selecting.__all__]
