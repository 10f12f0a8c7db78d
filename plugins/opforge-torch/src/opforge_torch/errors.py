"""Errors of the exchange with PyTorch."""

from opforge.plugin_api import OpforgeError

__all__ = ["TorchError"]


class TorchError(OpforgeError):
    """A block, a module or weights that cannot be used by the other library, with a remedy."""
