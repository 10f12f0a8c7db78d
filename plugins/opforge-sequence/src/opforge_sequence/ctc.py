"""The declarations of CTCLoss, and of its predictions, which keep nothing; C computes both."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from opforge.plugin_api import Attribute, DTypeError, ShapeError, native

from .library import LIBRARY


class CTCLoss(native.NativeOperator):
    """Return the connectionist temporal classification loss of each sequence.

    It is the negative logarithm of the probability that the steps, with repetitions merged and
    blanks removed, read as the labels. Probabilities are the softmax of `data`. A sequence with
    fewer steps than its labels need has the loss 0 and no gradient.

    Examples
    --------
    >>> from opforge import nd
    >>> steps = nd.zeros((2, 1, 3))  # two steps of one sequence; a blank and two classes
    >>> nd.CTCLoss(steps, nd.array([[1]])).exp().round().asnumpy().tolist()  # 9 / 3 ways
    [3.0]
    """

    name = "CTCLoss"
    aliases: ClassVar[tuple[str, ...]] = ("ctc_loss", "_contrib_CTCLoss", "_contrib_ctc_loss")
    library = LIBRARY
    category = "loss"
    arguments = ("data", "label", "data_lengths", "label_lengths")
    argument_docs = {
        "data": "(steps, batch, classes), floating: scores before the softmax",
        "label": "(batch, labels), classes; padded with 0, or with -1 if the blank is the last",
        "data_lengths": "(batch,), an input if use_data_lengths is True",
        "label_lengths": "(batch,), an input if use_label_lengths is True",
    }
    outputs: ClassVar[tuple[str, ...]] = ("output", "kept")
    num_visible_outputs = 1  # in training forward keeps what leads to each step
    saves = ("inputs", "kept")
    use_data_lengths = Attribute(
        bool, default=False, doc="Whether the numbers of steps are an input; else all count."
    )
    use_label_lengths = Attribute(
        bool,
        default=False,
        doc="Whether the numbers of labels are an input; else padding ends them.",
    )
    blank_label = Attribute(
        str, default="first", choices=("first", "last"), doc="Which class is the blank."
    )

    def list_arguments(self) -> list[str]:
        """Return the names; lengths are inputs where they are used."""
        used = (True, True, self.use_data_lengths, self.use_label_lengths)
        return [name for name, is_used in zip(self.arguments, used, strict=True) if is_used]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return a loss for each sequence."""
        data, label, *lengths = map(tuple, in_shape)
        for name, shape, axes in (("data", data, 3), ("label", label, 2)):
            if shape and len(shape) != axes:
                raise ShapeError(
                    f"operator '{self.name}': {name} has shape {shape}, expected {axes} axes: "
                    f"{self.argument_docs[name].split('), ')[0]})"
                )
        if not data:
            return in_shape, [None, None], []
        steps, batch, _ = data
        kept = None
        if label:
            label = (batch, label[1])
            # Of each sequence: whether it is kept, then a number for each step and its states.
            kept = (batch, 1 + steps * (2 * label[1] + 2))
        return [data, label, *[(batch,) for _ in lengths]], [(batch,), kept], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data; labels and lengths may have others."""
        data, *others = in_type
        if data is not None and not np.issubdtype(data, np.floating):
            raise DTypeError(
                f"operator '{self.name}': data is {np.dtype(data)}, expected a floating type; "
                "convert it with data.astype('float32')"
            )
        return [data, *[dtype or data for dtype in others]], [data, np.float64], []

    def compose_predicting(self, F: Any, *inputs: Any) -> list[Any]:
        """Keep nothing for a gradient."""
        given = {key: getattr(self, key) for key in type(self).attributes}
        return [F._CTCLoss_prediction(*inputs, **given), F.zeros(shape=(1,))]

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Leave out the gradient of what is kept."""
        read = super().declare_backward_dependency(out_grad, in_data, out_data)
        return [i for i in read if i not in out_grad[1:]]


class CTCPrediction(CTCLoss):
    """Return the loss of each sequence as `CTCLoss` does, without a gradient."""

    name = "_CTCLoss_prediction"
    aliases = ()
    outputs = ("output",)
    differentiable = False
    compose_predicting: Any = None

    def infer_shape(self, in_shape: Any) -> Any:
        """Return a loss for each sequence."""
        inputs, (losses, _), states = super().infer_shape(in_shape)
        return inputs, [losses], states

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data; labels and lengths may have others."""
        inputs, (losses, _), states = super().infer_type(in_type)
        return inputs, [losses], states
