"""Errors of the export to ONNX and of the import."""

from opforge.plugin_api import OpforgeError

__all__ = ["ExportError", "ImportModelError"]


class ExportError(OpforgeError):
    """An operator or one of its settings that ONNX cannot express, with the nearest remedy."""


class ImportModelError(OpforgeError):
    """A file that is no valid ONNX, or that has what opforge cannot express, with a remedy."""
