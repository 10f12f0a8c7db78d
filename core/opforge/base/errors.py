"""Exceptions of opforge.

Layer 0: imports nothing from the package. Every class derives from `OpforgeError`, which MXNet
programs know as `opforge.base.MXNetError`, and, where one fits, from the builtin that a Python
programmer would expect.
"""

__all__ = [
    "AmbiguousOperatorError",
    "AttributeValueError",
    "ContextError",
    "DTypeError",
    "DeferredInitializationError",
    "IndexRangeError",
    "MXNetError",
    "NativeError",
    "NotImplementedForSymbol",
    "OperatorError",
    "OperatorNotFoundError",
    "OpforgeError",
    "PluginError",
    "ScaffoldError",
    "SecondGradientError",
    "ShapeError",
    "SymbolFileError",
    "UnknownShapeError",
]


class OpforgeError(RuntimeError):
    """Base of all errors that opforge raises on its own account."""


MXNetError = OpforgeError


class ShapeError(OpforgeError, ValueError):
    """A shape does not fit: the operator, the argument, what was got and what was expected."""


class UnknownShapeError(ShapeError, TypeError, AttributeError):
    """A parameter whose shape is not known yet is used as if it had a value."""


class DTypeError(OpforgeError, TypeError):
    """An element type is unknown, unsupported by the operator, or differs between inputs."""


class ContextError(OpforgeError, ValueError):
    """A device does not exist here, or arrays of different devices meet in one call."""


class AttributeValueError(OpforgeError, ValueError):
    """An operator's attribute is missing, unknown, of the wrong type or out of range."""


class IndexRangeError(OpforgeError, IndexError):
    """An index that an operator was given lies outside the indexed axis."""


class OperatorNotFoundError(OpforgeError, AttributeError):
    """No installed and enabled provider has an operator or layer of this name."""


class AmbiguousOperatorError(OpforgeError, LookupError):
    """Two distributions provide one name and nothing decides between them."""


class OperatorError(OpforgeError):
    """The author's code of an operator raised; the original exception is `__cause__`.

    Parameters
    ----------
    message : str
    operator : str
        Registered name of the operator.
    provider : str
        Distribution and version, for instance ``"opforge-tile 0.1.0"``.
    """

    def __init__(self, message: str, *, operator: str = "", provider: str = "") -> None:
        super().__init__(message)
        self.operator = operator
        self.provider = provider


class NativeError(OpforgeError):
    """A C function of a native operator reported an error."""


class SecondGradientError(OpforgeError):
    """A gradient is to be differentiated again that is not composed of operators."""


class PluginError(OpforgeError):
    """A plugin cannot be loaded or breaks the rules of registration."""


class ScaffoldError(OpforgeError):
    """A project of a plugin cannot be made from templates, or not be updated."""


class DeferredInitializationError(OpforgeError):
    """A parameter's value was asked for before its shape was known."""


class NotImplementedForSymbol(OpforgeError):
    """A symbol is used as if it were an array with values."""


class SymbolFileError(OpforgeError, ValueError):
    """A text or file is no symbol, or one that cannot be built here."""
