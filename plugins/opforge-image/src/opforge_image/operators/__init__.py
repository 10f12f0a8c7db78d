"""Operators of this plugin."""

from .colors import OPERATORS as _COLORS
from .crop_flip import OPERATORS as _CROP_FLIP
from .files import OPERATORS as _FILES
from .lighting import OPERATORS as _LIGHTING
from .sizes import OPERATORS as _SIZES
from .tensors import OPERATORS as _TENSORS

__all__ = ["OPERATORS"]

OPERATORS = (*_FILES, *_SIZES, *_TENSORS, *_CROP_FLIP, *_COLORS, *_LIGHTING)
