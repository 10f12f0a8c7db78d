"""Operator SVMOutput: scores with the gradient of a multiclass hinge loss."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, ShapeError, kernels


class SVMOutput(OperatorProp):
    r"""Return `data`; its gradient is that of a hinge loss. Ignore incoming gradients.

    Each class is a binary problem with the target :math:`t = 1` for the label and -1 for others:

    .. math::

        \mathrm{d}x = -2 c \, t \, \max(0, m - t x) \quad\text{or, if linear,}\quad
        \mathrm{d}x = -c \, t \; [t x < m]

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([[0.5, -0.25, 2.0]])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.SVMOutput(x, nd.array([0]))
    >>> y.backward()
    >>> x.grad.asnumpy().tolist()
    [[-1.0, 1.5, 6.0]]
    """

    name = "SVMOutput"
    category = "loss"
    arguments = ("data", "label")
    dtypes = ("floating",)
    need_top_grad = False
    saves = ("inputs",)
    attrs = {"FInplaceOption": [(0, 0)]}
    argument_docs = {
        "data": "(n, classes), floating: scores",
        "label": "(n,), indices of classes in data's type; fractions are truncated",
    }
    margin = Attribute(float, default=1.0, doc="Scores within this margin have a gradient.")
    regularization_coefficient = Attribute(float, default=1.0, doc="Factor of the gradient.")
    use_linear = Attribute(
        bool, default=False, doc="Whether the loss is linear (L1) instead of squared (L2)."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape; a label for each row."""
        data, label = map(tuple, in_shape)
        if not data:
            return [data, label], [data or None], []
        if len(data) != 2 or (
            label and (len(label) != 1 or (0 not in (label[0], data[0]) and label != data[:1]))
        ):
            raise ShapeError(
                f"operator '{self.name}': data has shape {data} and label {label}; expected "
                "(n, classes) and (n,)"
            )
        return [data, data[:1]], [data], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for data."""
        return [out_shapes[0], in_shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the scores."""
        kernels.cast(in_data[0], out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the slope of the loss for each score; labels have none."""
        data, label = in_data
        classes = data.shape[1]
        target = F.one_hot(F.trunc(label), depth=classes, dtype=data.dtype) * 2 - 1
        distance = self.margin - target * data
        # Comparisons with NaN are false, so that such scores have no gradient.
        slope = target * (distance > 0)
        if not self.use_linear:
            slope = 2 * F.where(distance > 0, target * distance, F.zeros_like(distance))
        return [slope * -self.regularization_coefficient, None]
