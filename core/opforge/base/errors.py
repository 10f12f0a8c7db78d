"""Exceptions of opforge.

Layer 0. Every class derives from `OpforgeError`, which MXNet
programs know as `opforge.base.MXNetError`, and, where one fits, from the builtin that a Python
programmer would expect.

Where MXNet has one class, opforge has several. A class has two names in Python, and so each of ours
serves both readers: `__name__` is ``"MXNetError"`` for programs that write or compare
``type(error).__name__``, and `__qualname__`, which tracebacks print, is our own.
"""

from typing import Any, TypeVar

from .lazy_text import LazyText

__all__ = [
    "AmbiguousOperatorError",
    "AttributeValueError",
    "ContextError",
    "DTypeError",
    "DeferredInitializationError",
    "IndexRangeError",
    "MXNetError",
    "MissingFileError",
    "NativeError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "OperatorError",
    "OperatorMemoryError",
    "OperatorNotFoundError",
    "OpforgeError",
    "OutOfMemoryError",
    "PluginError",
    "ScaffoldError",
    "SecondGradientError",
    "ShapeError",
    "SymbolFileError",
    "UnknownShapeError",
]

Kind = TypeVar("Kind", bound=Exception)


def named_as_in_mxnet(cls: type[Kind]) -> type[Kind]:
    """Give a class the `__name__` of the error that MXNet raises in its place.

    Examples
    --------
    >>> ShapeError.__name__, ShapeError.__qualname__
    ('MXNetError', 'ShapeError')
    """
    cls.__name__ = "MXNetError"
    return cls


@named_as_in_mxnet
class OpforgeError(RuntimeError):
    """Base of all errors that opforge raises on its own account."""


MXNetError = OpforgeError


@named_as_in_mxnet
class OutOfMemoryError(OpforgeError, MemoryError):
    """An allocation failed; the text gives the number of bytes."""


@named_as_in_mxnet
class ShapeError(OpforgeError, ValueError):
    """A shape does not fit: the operator, the argument, what was got and what was expected."""


class UnknownShapeError(ShapeError, TypeError, AttributeError):
    """A parameter whose shape is not known yet is used as if it had a value."""


@named_as_in_mxnet
class DTypeError(OpforgeError, TypeError):
    """An element type is unknown, unsupported by the operator, or differs between inputs."""


@named_as_in_mxnet
class ContextError(OpforgeError, ValueError):
    """A device does not exist here, or arrays of different devices meet in one call."""


@named_as_in_mxnet
class AttributeValueError(OpforgeError, ValueError):
    """An operator's attribute is missing, unknown, of the wrong type or out of range."""


@named_as_in_mxnet
class IndexRangeError(OpforgeError, IndexError):
    """An index that an operator was given lies outside the indexed axis."""


@named_as_in_mxnet
class OperatorNotFoundError(OpforgeError, AttributeError):
    """No installed and enabled provider has an operator or layer of this name.

    Its text may be a `LazyText`; `args` has it as a string.
    """

    @property
    def args(self) -> tuple[Any, ...]:
        """The message, as of any exception."""
        values: tuple[Any, ...] = Exception.args.__get__(self)  # type: ignore[attr-defined]
        return tuple(str(value) if isinstance(value, LazyText) else value for value in values)

    @args.setter
    def args(self, values: tuple[Any, ...]) -> None:
        Exception.args.__set__(self, values)  # type: ignore[attr-defined]


class AmbiguousOperatorError(OpforgeError, LookupError):
    """Two distributions provide one name and nothing decides between them."""


@named_as_in_mxnet
class MissingFileError(FileNotFoundError, OpforgeError):
    """A saved file that is to be read, or the folder of one to be written, does not exist."""


@named_as_in_mxnet
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


@named_as_in_mxnet
class OperatorMemoryError(OperatorError, OutOfMemoryError):
    """An allocation failed in an operator, which the text names beside the number of bytes."""


@named_as_in_mxnet
class NativeError(OpforgeError):
    """A C function of a native operator reported an error."""


@named_as_in_mxnet
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


class NotSupportedForSparseNDArray(OpforgeError):
    """A method that dense arrays alone have was called on a sparse one."""


@named_as_in_mxnet
class SymbolFileError(OpforgeError, ValueError):
    """A text or file is no symbol, or one that cannot be built here."""
