"""Errors, under MXNet's module name; see `base.errors`."""

from .base.errors import MXNetError as MXNetError
from .base.errors import NativeError as InternalError

__all__ = ["InternalError", "MXNetError"]
