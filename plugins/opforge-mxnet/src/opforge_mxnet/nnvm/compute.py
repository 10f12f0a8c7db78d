"""Arguments of ``FCompute<cpu>`` functions, and wrappers that create these from NumPy functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from opforge.base.context import Context
from opforge.native.array import numpy_alias
from opforge.op.declaring.custom import CustomOp

__all__ = ["OpContext", "assign", "binary_compute", "unary_bwd", "unary_compute"]

#: ``FCompute(attrs, ctx, inputs, req, outputs)``.
FCompute = Callable[[Any, "OpContext", Sequence[Any], Sequence[str], Sequence[Any]], None]


@dataclass(frozen=True, slots=True)
class OpContext:
    """Context of an operator's computation.

    Parameters
    ----------
    is_train : bool
        Whether the call is part of training.
    device : Context
        Device of its arrays.
    """

    is_train: bool
    device: Context


def assign(dst: Any, req: str, src: Any) -> None:
    """Store `src` in an output as specified by `req`: write it, add it, or do nothing.

    Parameters
    ----------
    dst : NDArray
    req : {"null", "write", "inplace", "add"}
    src : NDArray, numpy.ndarray or number
    """
    CustomOp().assign(dst, req, src)


def unary_compute(function: Callable[[Any], Any]) -> FCompute:
    """Return the ``FCompute`` of an operator that is a NumPy function of one input.

    Parameters
    ----------
    function : callable
        Function of a NumPy array that returns one.

    Examples
    --------
    >>> import numpy as np
    >>> from opforge import nd
    >>> compute, y = unary_compute(np.abs), nd.zeros((2,))
    >>> compute(None, None, [nd.array([-1.0, 2.0])], ["write"], [y])
    >>> y.asnumpy().tolist()
    [1.0, 2.0]
    """

    def compute(
        attrs: Any, ctx: OpContext, inputs: Sequence[Any], req: Sequence[str], outputs: Any
    ) -> None:
        assign(outputs[0], req[0], function(numpy_alias(inputs[0])))

    return compute


def binary_compute(function: Callable[[Any, Any], Any]) -> FCompute:
    """Return the ``FCompute`` of an operator that is a NumPy function of two inputs."""

    def compute(
        attrs: Any, ctx: OpContext, inputs: Sequence[Any], req: Sequence[str], outputs: Any
    ) -> None:
        assign(outputs[0], req[0], function(numpy_alias(inputs[0]), numpy_alias(inputs[1])))

    return compute


def unary_bwd(derivative: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the backward function of a derivative: the gradient times ``derivative(input)``.

    Examples
    --------
    >>> import numpy as np
    >>> unary_bwd(np.sign)(np.array([2.0, 2.0]), np.array([-3.0, 3.0])).tolist()
    [-2.0, 2.0]
    """

    def backward(out_grad: Any, data: Any) -> Any:
        return out_grad * derivative(data)

    return backward
