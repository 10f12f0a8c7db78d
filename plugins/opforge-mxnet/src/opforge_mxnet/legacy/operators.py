"""MXNet's first classes for operators in Python: `PythonOp`, `NumpyOp`, `NDArrayOp`.

Instances are called with symbols and return a symbol; there is no imperative call. They are
implemented as custom operators. Each construction warns, as in MXNet: use `CustomOp` instead.
"""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

from opforge.name import NameManager
from opforge.symbol.custom import Custom

from .adapting import register_legacy

__all__ = ["NDArrayOp", "NumpyOp", "PythonOp"]


class PythonOp:
    """Base class of the operators of MXNet's first protocol; derive from `NumpyOp` or `NDArrayOp`.

    Parameters
    ----------
    need_top_grad : bool, default True
        Whether `backward` reads the gradient of the outputs; False for losses.
    """

    #: Whether `forward` and `backward` get NumPy arrays.
    takes_numpy: ClassVar[bool] = False
    #: Class that the warning names.
    _warns_as: ClassVar[str] = "PythonOp"
    #: Prefix of automatic names.
    _kind: ClassVar[str] = ""
    # Set when the first symbol is created; a class attribute because subclasses need not call
    # this constructor.
    _op_type: str | None = None

    # A class attribute for the same reason.
    need_top_grad_ = True

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad
        warnings.warn(
            f"{self._warns_as} has been deprecated. Please use CustomOp", UserWarning, stacklevel=2
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the symbol of this operator, applied to symbols; see `get_symbol`."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """Return the symbol of this operator, applied to symbols.

        Parameters
        ----------
        *args : Symbol
            Inputs in the order of `list_arguments`; missing ones become variables.
        **kwargs
            Inputs by name, ``name`` and ``attr``.
        """
        if not isinstance(self, (NumpyOp, NDArrayOp)):
            raise NotImplementedError(
                f"{type(self).__name__} derives from PythonOp itself, which does not define the "
                "kind of arrays; derive from NumpyOp or NDArrayOp, or write a CustomOp"
            )
        if self._op_type is None:
            self._op_type = register_legacy(self)
        # MXNet's name for the kind of operator, unless the program passes one.
        name = NameManager.current.get(kwargs.pop("name", None), f"_{self._kind}")
        with NameManager():  # the name has its prefix already
            return Custom(*args, op_type=self._op_type, name=name, **kwargs)

    def need_top_grad(self) -> bool:
        """Return whether `backward` reads the gradient of the outputs."""
        return self.need_top_grad_

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def infer_shape(self, in_shape: list[list[int]]) -> Sequence[Sequence[Any]]:
        """Return the shapes of inputs and outputs; by default one output like the first input."""
        return in_shape, [in_shape[0]]

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the ids of the arrays that `backward` reads; by default all of them."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]

    def forward(self, in_data: Sequence[Any], out_data: Sequence[Any]) -> None:
        """Fill the outputs in place; by default, copy the first input to the first output."""
        out_data[0][:] = in_data[0]

    def backward(
        self,
        out_grad: Sequence[Any],
        in_data: Sequence[Any],
        out_data: Sequence[Any],
        in_grad: Sequence[Any],
    ) -> None:
        """Fill the gradients of the inputs in place; by default, the first one with ones."""
        in_grad[0][:] = 1.0


class NumpyOp(PythonOp):
    """An operator whose methods receive NumPy arrays that share the memory of the graph's arrays.

    Deprecated: write a `CustomOp`. Results are written in place, ``y[:] = ...``; rebinding the name
    has no effect.

    Parameters
    ----------
    need_top_grad : bool, default True
        Whether `backward` reads the gradient of the outputs; False for losses.

    Examples
    --------
    >>> import warnings
    >>> from opforge import sym
    >>> class Twice(NumpyOp):
    ...     def forward(self, in_data, out_data):
    ...         out_data[0][:] = 2 * in_data[0]
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     twice = Twice()
    >>> twice(data=sym.var("x"), name="y").list_outputs()
    ['y_output']
    """

    takes_numpy = True
    _warns_as = "NumpyOp"
    _kind = "native"


class NDArrayOp(PythonOp):
    """An operator whose methods receive NDArrays.

    Deprecated: write a `CustomOp`.

    Parameters
    ----------
    need_top_grad : bool, default True
        Whether `backward` reads the gradient of the outputs; False for losses.
    """

    _warns_as = "NDArrayOp"
    _kind = "ndarray"
