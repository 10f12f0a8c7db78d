"""Declarations of CTCLoss and its prediction variant; `_native.c` computes both."""

from collections.abc import Sequence
from typing import Any, ClassVar

from opforge.plugin_api import Attribute, ShapeError, native

from .library import LIBRARY


class CTCLoss(native.NativeOperator):
    """Return the connectionist temporal classification loss of each sequence.

    The loss is the negative log probability of all alignments that yield the labels once
    repetitions are merged and blanks are removed. Probabilities are the softmax of `data`. A
    sequence with too few steps for its labels has loss 0 and gradient 0.

    Examples
    --------
    >>> from opforge import nd
    >>> steps = nd.zeros((2, 1, 3))  # two steps of one sequence; a blank and two classes
    >>> nd.CTCLoss(steps, nd.array([[1]])).exp().round().asnumpy().tolist()  # 9 / 3 alignments
    [3.0]
    """

    name = "CTCLoss"
    aliases: ClassVar[tuple[str, ...]] = ("ctc_loss", "_contrib_CTCLoss", "_contrib_ctc_loss")
    library = LIBRARY
    category = "loss"
    arguments = ("data", "label", "data_lengths", "label_lengths")
    argument_docs = {
        "data": "(steps, batch, classes), floating: scores before the softmax",
        "label": "(batch, labels), classes; padded with 0, or with -1 if blank_label is last",
        "data_lengths": "(batch,), an input if use_data_lengths is True",
        "label_lengths": "(batch,), an input if use_label_lengths is True",
    }
    dtypes = ("floating", "bfloat16")
    argument_dtypes = {
        "label": ("any", "bfloat16"),
        "data_lengths": ("any", "bfloat16"),
        "label_lengths": ("any", "bfloat16"),
    }
    output_dtypes = {"kept": "float64"}
    outputs: ClassVar[tuple[str, ...]] = ("output0", "kept")
    num_visible_outputs = 1  # forward saves its variables in training
    saves = ("inputs", "kept")
    use_data_lengths = Attribute(
        bool, default=False, doc="Whether data_lengths is an input; otherwise all steps are valid."
    )
    use_label_lengths = Attribute(
        bool,
        default=False,
        doc="Whether label_lengths is an input; otherwise padding ends the labels.",
    )
    blank_label = Attribute(
        str, default="first", choices=("first", "last"), doc="Class of the blank."
    )

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs, with the lengths that are used."""
        used = (True, True, self.use_data_lengths, self.use_label_lengths)
        return [name for name, is_used in zip(self.arguments, used, strict=True) if is_used]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape (batch,) of the losses."""
        data, label, *lengths = map(tuple, in_shape)
        for name, shape, axes in (("data", data, 3), ("label", label, 2)):
            if shape and len(shape) != axes:
                raise ShapeError(
                    f"operator '{self.name}': {name} has shape {shape}; expected {axes} axes: "
                    f"{self.argument_docs[name].split('), ')[0]})"
                )
        if not data:
            return in_shape, [None, None], []
        steps, batch, _ = data
        kept = None
        if label:
            label = (batch, label[1])
            # Per sequence: whether the rest is saved, then one value per step and per state of it.
            kept = (batch, 1 + steps * (2 * label[1] + 2))
        return [data, label, *[(batch,) for _ in lengths]], [(batch,), kept], []

    def compose_predicting(self, F: Any, *inputs: Any) -> list[Any]:
        """Return the loss without saving variables for the gradient."""
        given = {key: getattr(self, key) for key in type(self).attributes}
        return [F._CTCLoss_prediction(*inputs, **given), F.zeros(shape=(1,))]

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Exclude the gradient of the saved variables."""
        read = super().declare_backward_dependency(out_grad, in_data, out_data)
        return [i for i in read if i not in out_grad[1:]]


class CTCPrediction(CTCLoss):
    """Return the loss of each sequence as `CTCLoss` does, without support for gradients."""

    name = "_CTCLoss_prediction"
    aliases = ()
    outputs = ("output0",)
    differentiable = False
    compose_predicting: Any = None

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape (batch,) of the losses."""
        inputs, (losses, _), states = super().infer_shape(in_shape)
        return inputs, [losses], states
