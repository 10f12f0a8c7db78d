"""Default names of a declaration's inputs and outputs."""

__all__ = ["ARGUMENTS", "OUTPUTS"]

ARGUMENTS = ("data",)
OUTPUTS = ("output",)
