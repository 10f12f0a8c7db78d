"""MXNet's `notebook`: callbacks that record a training in tables and draw it in a notebook."""

from ..names import add_names as _add_names
from . import callback as callback

__all__ = ["callback"]

_add_names(__name__)
