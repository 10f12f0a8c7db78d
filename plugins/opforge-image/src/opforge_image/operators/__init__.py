"""All operators of this plugin."""

from .colors import OPERATORS as _COLORS
from .files import OPERATORS as _FILES
from .lighting import OPERATORS as _LIGHTING
from .places import OPERATORS as _PLACES
from .sizes import OPERATORS as _SIZES
from .tensors import OPERATORS as _TENSORS

__all__ = ["OPERATORS"]

OPERATORS = (*_FILES, *_SIZES, *_TENSORS, *_PLACES, *_COLORS, *_LIGHTING)
