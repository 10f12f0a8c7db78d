"""Defaults of a declaration."""

__all__ = ["ARGUMENTS", "OUTPUTS"]

#: Names of inputs and of outputs.
ARGUMENTS = ("data",)
OUTPUTS = ("output",)
