"""All operators of this plugin."""

from .files import OPERATORS as _FILES
from .sizes import OPERATORS as _SIZES

__all__ = ["OPERATORS"]

OPERATORS = (*_FILES, *_SIZES)
