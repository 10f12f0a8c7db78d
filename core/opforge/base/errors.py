"""Exceptions of opforge.

Layer 0. Every class derives from `OpforgeError`, an alias of `opforge.base.MXNetError`, and, if one
fits, from the builtin exception that a Python programmer would expect.

MXNet has a single class for several of these. To serve both, `__name__` is ``"MXNetError"``, for
programs that print or compare ``type(error).__name__``, and `__qualname__`, which tracebacks print,
is opforge's name.
"""

from typing import Any, TypeVar

from .lazy_text import LazyText

__all__ = [
    "AmbiguousOperatorError",
    "AttributeValueError",
    "ContextError",
    "DTypeError",
    "DeferredInitializationError",
    "HostAccessError",
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
    "ProgramMissingError",
    "ScaffoldError",
    "SecondGradientError",
    "ShapeError",
    "SymbolFileError",
    "UnknownShapeError",
]

Kind = TypeVar("Kind", bound=Exception)


def named_as_in_mxnet(cls: type[Kind]) -> type[Kind]:
    """Give a class the `__name__` of the error that MXNet raises instead.

    Examples
    --------
    >>> ShapeError.__name__, ShapeError.__qualname__
    ('MXNetError', 'ShapeError')
    """
    cls.__name__ = "MXNetError"
    return cls


@named_as_in_mxnet
class OpforgeError(RuntimeError):
    """Base class of the errors that opforge raises."""


MXNetError = OpforgeError


@named_as_in_mxnet
class OutOfMemoryError(OpforgeError, MemoryError):
    """Failed allocation; the message gives the number of bytes."""


@named_as_in_mxnet
class ShapeError(OpforgeError, ValueError):
    """Wrong shape; the message names the operator, the argument, and both shapes."""


class UnknownShapeError(ShapeError, TypeError, AttributeError):
    """Use of a parameter's value, or of a symbol's sizes, before the shape is known."""


@named_as_in_mxnet
class DTypeError(OpforgeError, TypeError):
    """Element type that is unknown, unsupported by the operator, or different between inputs."""


@named_as_in_mxnet
class ContextError(OpforgeError, ValueError):
    """Device that does not exist or lacks a kernel, or arrays of different devices in one call."""


class HostAccessError(ContextError):
    """Access by the CPU to memory of another device.

    Parameters
    ----------
    text : str
    context : Context
        Context of the memory.
    """

    def __init__(self, text: str, context: Any) -> None:
        super().__init__(text)
        self.context = context


@named_as_in_mxnet
class AttributeValueError(OpforgeError, ValueError):
    """Operator attribute that is missing, unknown, of the wrong type or out of range."""


@named_as_in_mxnet
class IndexRangeError(OpforgeError, IndexError):
    """Index outside the indexed axis, passed to an operator."""


@named_as_in_mxnet
class OperatorNotFoundError(OpforgeError, AttributeError):
    """Name of an operator or layer that no installed and enabled provider has.

    The message may be a `LazyText`; `args` has it as a string.
    """

    @property
    def args(self) -> tuple[Any, ...]:
        """The message, as for any exception."""
        values: tuple[Any, ...] = Exception.args.__get__(self)  # type: ignore[attr-defined]
        return tuple(str(value) if isinstance(value, LazyText) else value for value in values)

    @args.setter
    def args(self, values: tuple[Any, ...]) -> None:
        Exception.args.__set__(self, values)  # type: ignore[attr-defined]


class AmbiguousOperatorError(OpforgeError, LookupError):
    """Name that two distributions provide, without a pin that decides between them."""


@named_as_in_mxnet
class MissingFileError(FileNotFoundError, OpforgeError):
    """Missing file to read, or missing folder of a file to write."""


@named_as_in_mxnet
class OperatorError(OpforgeError):
    """Failure of an operator's own code; the original exception is `__cause__`.

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
    """Failed allocation in an operator; the message names it and the number of bytes."""


@named_as_in_mxnet
class NativeError(OpforgeError):
    """Error reported by a C function of a native operator."""


@named_as_in_mxnet
class SecondGradientError(OpforgeError):
    """Second derivative of a gradient that is not composed of operators."""


class PluginError(OpforgeError):
    """Plugin that cannot be loaded or violates the rules of registration."""


class ProgramMissingError(OpforgeError):
    """Program outside of opforge that is not installed, such as the one that runs a file."""


class ScaffoldError(OpforgeError):
    """Plugin project that cannot be created from templates or updated."""


class DeferredInitializationError(OpforgeError):
    """Access to the value of a parameter before its shape is known."""


class NotImplementedForSymbol(OpforgeError):
    """Use of a symbol as an array with values."""


class NotSupportedForSparseNDArray(OpforgeError):
    """Call of a method of dense arrays on a sparse array."""


@named_as_in_mxnet
class SymbolFileError(OpforgeError, ValueError):
    """Text or file that is not a symbol, or one that cannot be built here."""
