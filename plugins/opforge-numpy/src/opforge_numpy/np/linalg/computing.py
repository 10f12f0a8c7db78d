"""Computation in NumPy with gradients, and helpers of gradients."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import autograd

from ...arguments import as_array, from_numpy, operands, with_shape
from ...arrays import to_nd
from ...promotion import default_float, is_floating
from ...shapes import expand_dims, swapaxes
from ...symbols.namespace import is_symbol

__all__ = [
    "Arrays",
    "Gradient",
    "columns_times",
    "computed",
    "eye",
    "floating",
    "matrices_of",
    "reciprocal_gaps",
    "scaled",
    "summed_to",
    "transposed",
]

Arrays = Sequence[Any]
Gradient = Callable[[Arrays, Arrays, Arrays], Any]


class _InNumpy(autograd.Function):
    """A differentiable function that NumPy computes.

    Parameters
    ----------
    compute : callable
        Returns a NumPy array or a tuple of them for NumPy arrays.
    gradient : callable
        ``gradient(out_grads, inputs, outputs)`` returns the gradients of the inputs.
    """

    def __init__(self, compute: Callable[..., Any], gradient: Gradient) -> None:
        super().__init__()
        self._compute, self._gradient = compute, gradient

    def forward(self, *inputs: Any) -> Any:
        like = inputs[0]
        try:
            results = self._compute(*(array.asnumpy() for array in inputs))
        except np.linalg.LinAlgError as error:
            raise np.linalg.LinAlgError(f"{error} (shapes {[x.shape for x in inputs]})") from None
        listed = results if isinstance(results, tuple) else (results,)
        outputs = [from_numpy(np.asarray(value, like.dtype, order="C"), like) for value in listed]
        self.save_for_backward(inputs, outputs)
        return outputs if isinstance(results, tuple) else outputs[0]

    def backward(self, *output_grads: Any) -> Any:
        inputs, outputs = ([to_nd(array) for array in saved] for saved in self.saved_tensors)
        return self._gradient(output_grads, inputs, outputs)


def computed(compute: Callable[..., Any], gradient: Gradient, *arrays: Any) -> Any:
    """Call a function of NumPy with a gradient.

    Integers become floating numbers of the default type; float16 is computed in float32.
    """
    inputs = [floating(as_array(array)) for array in arrays]
    if any(array.dtype == np.float16 for array in inputs):
        wide = [array.astype("float32", copy=False) for array in inputs]
        results = _InNumpy(compute, gradient)(*wide)
        if isinstance(results, list):
            return tuple(result.astype("float16") for result in results)
        return results.astype("float16")
    results = _InNumpy(compute, gradient)(*operands(inputs)[1])
    return tuple(results) if isinstance(results, list) else results


def floating(array: Any) -> Any:
    """Convert integers to the default floating-point type."""
    if is_symbol(array) or is_floating(array):
        return array
    return array.astype(default_float())


def matrices_of(name: str, array: Any, square: bool = False) -> Any:
    """Return an argument as an array with the axes of matrices."""
    array = as_array(array)
    if array.ndim < 2 or (square and array.shape[-1] != array.shape[-2]):
        kind = "square matrices" if square else "matrices"
        raise np.linalg.LinAlgError(
            f"{name}: the array has shape {array.shape}; expected {kind} in the last two axes"
        )
    return array


def transposed(x: Any) -> Any:
    """Transpose matrices."""
    return swapaxes(x, -1, -2)


def eye(like: Any, count: int) -> Any:
    """Return the identity matrix in the type and on the device of an array."""
    return nd.array(np.eye(count), ctx=like.context, dtype=like.dtype)


def scaled(matrices: Any, factors: Any) -> Any:
    """Multiply matrices by a number each."""
    return nd.broadcast_mul(matrices, with_shape(factors, (*factors.shape, 1, 1)))


def columns_times(matrices: Any, factors: Any) -> Any:
    """Multiply the columns of matrices by a vector each."""
    return nd.broadcast_mul(matrices, expand_dims(factors, -2))


def reciprocal_gaps(values: Any) -> Any:
    """Return 1 / (v_j - v_i), and 0 where the values are equal."""
    gaps = nd.broadcast_sub(expand_dims(values, -2), expand_dims(values, -1))
    equal = gaps == 0
    return (1 - equal) / (gaps + equal)


def summed_to(grad: Any, like: Any) -> Any:
    """Sum a gradient over the batch axes along which an argument was repeated."""
    return grad if grad.shape == like.shape else nd._backward_broadcast(grad, like)
