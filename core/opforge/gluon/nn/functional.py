"""`Lambda`, `HybridLambda` and `Flatten`: functions as blocks."""

from collections.abc import Callable
from typing import Any

from ... import ndarray as nd
from ...base.name_hints import missing_name
from ..base_block import Block
from ..hybrid_block import HybridBlock

__all__ = ["Flatten", "HybridLambda", "Lambda"]


def _unknown_function_error(function: Any) -> ValueError:
    return ValueError(
        f"Unrecognized function in lambda: {function!r} of type {type(function)}; expected the "
        "name of an operator or a callable"
    )


class Lambda(Block):
    """Wrap a function of arrays.

    Parameters
    ----------
    function : str or callable
        Name of an operator, or a function of the inputs.
    prefix : str, optional

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import Lambda
    >>> Lambda(lambda x: x * 2)(nd.array([1, 2])).asnumpy().tolist()
    [2.0, 4.0]
    >>> Lambda("square")
    Lambda(square)
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        if isinstance(function, str):
            if not hasattr(nd, function):
                raise AssertionError(f"Function name {function} is not found in ndarray.")
            self._func_impl = getattr(nd, function)
        elif callable(function):
            self._func_impl = function
        else:
            raise _unknown_function_error(function)
        self._func_name = function if isinstance(function, str) else _name_of(function)

    def forward(self, *args: Any) -> Any:
        """Call the function."""
        return self._func_impl(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


class HybridLambda(HybridBlock):
    """Wrap a function of the operator namespace and arrays.

    Parameters
    ----------
    function : str or callable
        Name of an operator, or ``function(F, x, ...)``.
    prefix : str, optional

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import HybridLambda
    >>> HybridLambda(lambda F, x: F.square(x))(nd.array([1, 2])).asnumpy().tolist()
    [1.0, 4.0]
    """

    def __init__(self, function: str | Callable[..., Any], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        if isinstance(function, str):
            operator = function
            if not hasattr(nd, operator):
                raise AssertionError(f"Function name {operator} is not found in ndarray.")
            self._func: Callable[..., Any] = lambda F, *args: getattr(F, operator)(*args)
            self._func_name = operator
        elif callable(function):
            self._func = function
            self._func_name = _name_of(function)
        else:
            raise _unknown_function_error(function)

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        """Call the function."""
        return self._func(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


class Flatten(HybridBlock):
    """Merge all axes but the first.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import Flatten
    >>> Flatten()(nd.ones((2, 3, 4))).shape
    (2, 12)
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x` with shape (batch, features)."""
        return F.Flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)
