"""`ExportError`: why a graph cannot be written in ONNX."""

from opforge.plugin_api import OpforgeError

__all__ = ["ExportError"]


class ExportError(OpforgeError):
    """An operator or one of its settings that ONNX cannot express, with the nearest remedy."""
