"""Gluon loss based on the operator CTCLoss."""

from typing import Any

from opforge.plugin_api import Loss


class CTCLoss(Loss):
    """Connectionist temporal classification loss of scores before the softmax.

    The blank is the last class. Labels are padded with -1 if `label_lengths` is not passed.

    Parameters
    ----------
    layout : {"NTC", "TNC"}, default "NTC"
        Order of batch, steps and classes of the predictions.
    label_layout : {"NT", "TN"}, default "NT"
        Order of batch and labels.
    weight : float, optional
        Factor of the whole loss.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> loss = gluon.loss.CTCLoss()
    >>> loss(nd.zeros((1, 2, 3)), nd.array([[0, -1]])).exp().round().asnumpy().tolist()
    [3.0]
    """

    def __init__(
        self,
        layout: str = "NTC",
        label_layout: str = "NT",
        weight: float | None = None,
        **kwargs: Any,
    ) -> None:
        for name, value, choices in (
            ("layout", layout, ("NTC", "TNC")),
            ("label_layout", label_layout, ("NT", "TN")),
        ):
            if value not in choices:
                raise ValueError(f"CTCLoss: {name} is {value!r}; expected one of {choices}")
        super().__init__(weight, label_layout.find("N"), **kwargs)
        self._layout = layout
        self._label_layout = label_layout

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        label: Any,
        pred_lengths: Any = None,
        label_lengths: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Return the loss of each sequence, shape (batch,)."""
        if self._layout == "NTC":
            pred = F.swapaxes(pred, dim1=0, dim2=1)
        if self._label_layout == "TN":
            label = F.swapaxes(label, dim1=0, dim2=1)
        lengths = [item for item in (pred_lengths, label_lengths) if item is not None]
        loss = F.CTCLoss(
            pred,
            label,
            *lengths,
            use_data_lengths=pred_lengths is not None,
            use_label_lengths=label_lengths is not None,
            blank_label="last",
        )
        if sample_weight is not None:
            loss = F.broadcast_mul(loss, sample_weight)
        return loss if self._weight is None else loss * self._weight
