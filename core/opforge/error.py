"""Errors, in the module where MXNet has them; see `base.errors`."""

from .base.errors import MXNetError as MXNetError
from .base.errors import NativeError as InternalError

__all__ = ["InternalError", "MXNetError"]
