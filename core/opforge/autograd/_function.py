"""User-defined differentiable functions."""

from typing import Any

from ..base.errors import OpforgeError
from ..native.array import Array
from ..native.dispatch import tape

__all__ = ["Function"]


class Function:
    """Base of differentiable functions; override `forward` and `backward`.

    An instance can be called only once. `forward` runs with recording off; `backward` gets the
    gradients of the outputs and returns those of the inputs.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> class Double(autograd.Function):
    ...     def forward(self, x):
    ...         return 2 * x
    ...
    ...     def backward(self, dy):
    ...         return 2 * dy
    >>> x = nd.array([3.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = Double()(x)
    >>> y.backward()
    >>> x.grad.asscalar().item()
    2.0
    """

    def __init__(self) -> None:
        self._used = False
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *arrays: Any) -> None:
        """Store arrays in ``self.saved_tensors`` for `backward`."""
        self.saved_tensors = arrays

    def forward(self, *inputs: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError(f"{type(self).__name__} must define forward()")

    def backward(self, *output_grads: Any) -> Any:
        """Compute the gradients of the inputs."""
        raise NotImplementedError(f"{type(self).__name__} must define backward()")

    def __call__(self, *inputs: Any) -> Any:
        """Run `forward` and record the call."""
        if self._used:
            raise OpforgeError("Each Function instance can only be called once; make a new one.")
        self._used = True
        arrays = tuple(item for item in inputs if isinstance(item, Array))
        with tape.Scope(False, None):
            outputs = self.forward(*inputs)
        listed = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        # New arrays: those saved by the function must not refer back to this call.
        listed = [tape.detach(item) for item in listed]
        tape.record_callback(arrays, listed, self._backward_of(inputs))
        return listed if isinstance(outputs, (list, tuple)) else listed[0]

    def _backward_of(self, inputs: tuple[Any, ...]) -> Any:
        """Return the tape's callback, which returns the gradients of the array inputs in order."""
        positions = [i for i, item in enumerate(inputs) if isinstance(item, Array)]
        likes = [(item.shape, item.dtype) for item in inputs if isinstance(item, Array)]

        def run(out_grads: list[Any]) -> list[Any]:
            result = self.backward(*out_grads)
            grads = list(result) if isinstance(result, (list, tuple)) else [result]
            if len(grads) == len(inputs):
                grads = [grads[i] for i in positions]
            if len(grads) != len(positions):
                raise OpforgeError(
                    f"{type(self).__name__}.backward returned {len(grads)} gradients for "
                    f"{len(positions)} array inputs"
                )
            return [_fit_to_input(grad, *like) for grad, like in zip(grads, likes, strict=True)]

        return run


def _fit_to_input(grad: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Broadcast and cast a gradient to its input, as MXNet's ``input_grad[:] = grad`` does."""
    if not isinstance(grad, Array):
        return grad
    if grad.dtype != dtype:
        grad = grad.astype(dtype)
    if grad.shape != shape and grad.ndim <= len(shape):
        grad = grad.broadcast_to(shape)
    return grad
