"""What a declaration has that does not say otherwise."""

__all__ = ["ARGUMENTS", "OUTPUTS"]

#: Names of inputs and of outputs.
ARGUMENTS = ("data",)
OUTPUTS = ("output",)
