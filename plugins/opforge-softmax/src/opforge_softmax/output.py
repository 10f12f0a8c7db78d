"""Operator SoftmaxOutput: softmax with the gradient of the cross-entropy loss."""

import math
from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, kernels


class SoftmaxOutput(OperatorProp):
    r"""Softmax whose gradient is that of the cross-entropy loss, ignoring incoming gradients.

    .. math::

        y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}, \qquad \mathrm{d}x_i = y_i - [i = \mathrm{label}]

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([[1, 2, 3]])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.SoftmaxOutput(x, nd.array([2]))
    >>> y.backward()
    >>> print(y.asnumpy().round(4), x.grad.asnumpy().round(4))
    [[0.09   0.2447 0.6652]] [[ 0.09    0.2447 -0.3348]]
    """

    name = "SoftmaxOutput"
    aliases = ("Softmax",)
    category = "loss"
    arguments = ("data", "label")
    dtypes = ("floating",)
    argument_dtypes = {"label": ("any",)}
    need_top_grad = False
    saves = ("inputs", "outputs")
    argument_docs = {
        "data": "shape (n, classes, ...), floating",
        "label": "class indices, or probabilities of data's shape",
    }
    grad_scale = Attribute(float, default=1.0, doc="Factor of the gradient.")
    ignore_label = Attribute(
        float, default=-1.0, doc="Invalid label; its gradient is 0 if use_ignore."
    )
    multi_output = Attribute(
        bool, default=False, doc="Whether classes are on axis 1, with a label per position."
    )
    use_ignore = Attribute(bool, default=False, doc="Whether to ignore ignore_label.")
    preserve_shape = Attribute(bool, default=False, doc="Whether classes are on the last axis.")
    normalization = Attribute(
        str,
        default="null",
        choices=("batch", "null", "valid"),
        doc="Divisor of the gradient: the batch size, 1 or the number of valid labels.",
    )
    out_grad = Attribute(bool, default=False, doc="Whether to multiply by the incoming gradient.")
    smooth_alpha = Attribute(float, default=0.0, ge=0, le=1, doc="Amount of label smoothing.")

    def _axis(self) -> int:
        """Return the axis of the classes after flattening."""
        return -1 if self.preserve_shape and not self.multi_output else 1

    def _label_shape(self, data: Any) -> tuple[int, ...]:
        if self.multi_output:
            return (data[0], *data[2:])
        return tuple(data[:-1]) if self.preserve_shape else (data[0],)

    def _inferred_label_shape(self, data: Any) -> tuple[int, ...]:
        """Return the shape of labels that are not given: all positions are on one axis."""
        if self.multi_output:
            return (data[0], math.prod(data[2:]))
        return self._label_shape(data)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape; there is one label per sample, position or element."""
        data, label = in_shape
        if not data:
            return [data, label], [data], []
        if len(data) < 2:
            raise ShapeError(
                f"operator 'SoftmaxOutput': data has shape {tuple(data)}; expected at least two "
                "dimensions (n, classes)"
            )
        expected = self._inferred_label_shape(data)
        if label and tuple(label) != tuple(data):
            size = 1
            for dim in expected:
                size *= dim
            given = 1
            for dim in label:
                given *= dim
            if given != size:
                raise ShapeError(
                    f"operator 'SoftmaxOutput': label has shape {tuple(label)}; expected "
                    f"{expected} because data has shape {tuple(data)}"
                )
            expected = tuple(label)
        elif label:
            expected = tuple(data)
        return [data, expected], [data], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the softmax over the classes, by default all axes except the first."""
        data, out = in_data[0], out_data[0]
        axis = self._axis()
        if not self.multi_output and not self.preserve_shape and data.ndim > 2:
            flat = (data.shape[0], data.size // max(data.shape[0], 1))
            data, out = data._view(0, flat), out._view(0, flat)
        kernels.softmax(data, out, axis, req=req[0])
        if is_train and in_data[1].shape != in_data[0].shape:
            ignored = self.ignore_label if self.use_ignore else None
            kernels.expect_labels(self.name, in_data[1], data.shape[axis], ignored)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return (p - one_hot(label)), scaled according to the attributes."""
        (_, label), p = in_data, out_data[0]
        if label.dtype != p.dtype:
            label = F.cast(label, dtype=p.dtype)
        if label.shape == p.shape:
            return [(p - label) * self.grad_scale, None]
        shape = p.shape
        if not self.multi_output and not self.preserve_shape:
            p = _reshape(F, p, (shape[0], math.prod(shape[1:])))
        label = _reshape(F, label, self._label_shape(p.shape))
        grad = p - self._targets(F, label, p)
        if self.use_ignore:
            kept = F.expand_dims(label != self.ignore_label, axis=self._axis())
            grad = F.broadcast_mul(grad, kept)
        grad = _reshape(F, self._normalized(F, grad, label), shape)
        return [grad * out_grad[0] if self.out_grad else grad, None]

    def _targets(self, F: Any, label: Any, p: Any) -> Any:
        """Return smoothed one-hot labels with the classes on p's class axis."""
        classes = p.shape[self._axis()]
        off = self.smooth_alpha / (classes - 1) if classes > 1 else 0.0
        one_hot = F.one_hot(
            label, depth=classes, on_value=1.0 - self.smooth_alpha, off_value=off, dtype=p.dtype
        )
        if self.multi_output and p.ndim > 2:
            one_hot = F.transpose(one_hot, axes=(0, p.ndim - 1, *range(1, p.ndim - 1)))
        return one_hot

    def _normalized(self, F: Any, grad: Any, label: Any) -> Any:
        """Return the gradient divided according to `normalization`."""
        scale = self.grad_scale
        if self.normalization == "valid":
            count = F.maximum(F.sum(label != self.ignore_label), 1.0)
            return F.broadcast_div(grad * scale, count)
        if self.multi_output:
            scale = scale * grad.shape[0] / max(label.size, 1)
        if self.normalization == "batch":
            scale = scale / max(grad.shape[0], 1)
        return grad * scale


def _reshape(F: Any, x: Any, shape: tuple[int, ...]) -> Any:
    """Return `x` in a shape; the step that a reshape costs is saved if it has this shape."""
    return x if x.shape == shape else F.reshape(x, shape=shape)
