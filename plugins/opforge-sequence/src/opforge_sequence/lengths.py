"""Operators on sequences of given lengths; `_native.c` computes them."""

from typing import Any

from opforge.plugin_api import Attribute, ShapeError, native

from .library import LIBRARY

Dims = tuple[int, ...]


class _SequenceOperator(native.NativeOperator):
    """Base class of the operators: the axis of the steps, the input of lengths and types."""

    library = LIBRARY
    dtypes = ("any", "bfloat16")
    category = "shape"
    arguments = ("data", "sequence_length")
    argument_dtypes = {"sequence_length": ("any", "bfloat16")}
    argument_docs = {
        "data": "(steps, batch, ...), or with axis 1 (batch, steps, ...)",
        "sequence_length": "(batch,), an input if use_sequence_length is True",
    }
    saves = ("sequence_length",)
    use_sequence_length = Attribute(
        bool,
        default=False,
        doc="Whether sequence_length is an input; otherwise all steps are valid.",
    )
    axis = Attribute(int, default=0, ge=0, le=1, doc="Axis of the steps.")

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, with the lengths if they are used."""
        return list(self.arguments[: 1 + self.use_sequence_length])

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the result; there is one length per sequence."""
        data, *lengths = map(tuple, in_shape)
        if not data:
            return in_shape, [None], []
        batch, out = self.batch_and_output(data)
        return [data, *[(batch,) for _ in lengths]], [out], []

    def batch_and_output(self, data: Dims) -> tuple[int, Dims]:
        """Return the number of sequences and the shape of the result."""
        if len(data) < 2:
            raise ShapeError(
                f"operator '{self.name}': data has shape {data}; expected at least two axes, "
                "the steps and the batch"
            )
        return data[1 - self.axis], data

    def _backward(self, operator: Any, out_grad: Any, in_data: Any, **attributes: Any) -> list[Any]:
        """Return the inputs' gradients: `operator` applied to `out_grad`; lengths have none."""
        lengths = in_data[1:] if self.use_sequence_length else []
        grad = operator(
            out_grad[0],
            *lengths,
            use_sequence_length=self.use_sequence_length,
            axis=self.axis,
            **attributes,
        )
        return [grad, *[None for _ in lengths]]


class SequenceMask(_SequenceOperator):
    """Replace the steps after the end of each sequence by `value`.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> nd.SequenceMask(x, nd.array([1, 2]), use_sequence_length=True).asnumpy().tolist()
    [[1.0, 2.0], [0.0, 4.0], [0.0, 0.0]]
    """

    name = "SequenceMask"
    value = Attribute(float, default=0.0, doc="Value of the masked steps.")

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for data."""
        return [out_shapes[0], *in_shapes[1:]]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient of the steps that were not masked."""
        return self._backward(F.SequenceMask, out_grad, in_data)


class SequenceReverse(_SequenceOperator):
    """Reverse the steps of each sequence; steps after its end are unchanged.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> nd.SequenceReverse(x, nd.array([3, 2]), use_sequence_length=True).asnumpy().tolist()
    [[5.0, 4.0], [3.0, 2.0], [1.0, 6.0]]
    """

    name = "SequenceReverse"

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for data."""
        return [out_shapes[0], *in_shapes[1:]]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient in the order of the data."""
        return self._backward(F.SequenceReverse, out_grad, in_data)


class SequenceLast(_SequenceOperator):
    """Return the last step of each sequence.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> nd.SequenceLast(x, nd.array([1, 3]), use_sequence_length=True).asnumpy().tolist()
    [1.0, 6.0]
    """

    name = "SequenceLast"
    saves = ("inputs",)  # the gradient has as many steps as the data

    def batch_and_output(self, data: Dims) -> tuple[int, Dims]:
        """Return the number of sequences and the shape without the steps."""
        batch, _ = super().batch_and_output(data)
        return batch, data[: self.axis] + data[self.axis + 1 :]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient at the last steps, and zeros at the others."""
        steps = in_data[0].shape[self.axis]
        return self._backward(F._put_last, out_grad, in_data, steps=steps)


class PutLast(_SequenceOperator):
    """Return sequences with `data` as the last step and zeros as the others."""

    name = "_put_last"
    argument_docs = {**_SequenceOperator.argument_docs, "data": "(batch, ...)"}
    steps = Attribute(int, ge=0, doc="Number of steps.")

    def batch_and_output(self, data: Dims) -> tuple[int, Dims]:
        """Return the number of sequences and the shape with the steps."""
        return data[0], data[: self.axis] + (self.steps,) + data[self.axis :]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the gradient of the last steps."""
        return self._backward(F.SequenceLast, out_grad, in_data)
