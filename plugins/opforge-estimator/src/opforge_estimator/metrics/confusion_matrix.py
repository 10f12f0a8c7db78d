"""`ConfusionMatrix`: how often each class was predicted for each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import EvalMetric, metric

from .class_report import ClassReport
from .values import class_indices, pairs

__all__ = ["ConfusionMatrix"]


class ConfusionMatrix(EvalMetric):
    """Numbers of samples by actual and predicted class.

    As a single number, it is the balanced accuracy: the mean of the classes' recalls, without
    classes that no sample has.

    Parameters
    ----------
    class_names : sequence of str, optional
        Names of the classes 0, 1, ... in reports and diagrams.
    axis : int, default 1
        Class axis, if predictions are scores instead of class indices.
    ignore_label : int, optional
        Samples with this label are not counted, such as the padding of sequences.
    name : str, default "balanced_accuracy"
    output_names, label_names : list of str, optional

    Examples
    --------
    >>> from opforge import metric, nd
    >>> confusion = metric.ConfusionMatrix(class_names=["cat", "dog"])
    >>> confusion.update(nd.array([0, 0, 0, 1]), nd.array([0, 0, 1, 1]))
    >>> confusion.matrix  # a row for each actual class
    array([[2, 1],
           [0, 1]])
    >>> confusion.get()[1] == (2 / 3 + 1) / 2
    True
    >>> print(confusion.report())
              precision  recall    f1  support
    cat           1.000   0.667 0.800        3
    dog           0.500   1.000 0.667        1
    mean          0.750   0.833 0.733        4
    weighted      0.875   0.750 0.767        4
    """

    def __init__(
        self,
        class_names: Sequence[str] | None = None,
        axis: int = 1,
        ignore_label: int | None = None,
        name: str = "balanced_accuracy",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        self._class_names = None if class_names is None else [str(n) for n in class_names]
        self._axis = axis
        self._ignore_label = ignore_label
        super().__init__(
            name,
            output_names,
            label_names,
            class_names=self._class_names,
            axis=axis,
            ignore_label=ignore_label,
        )

    def reset_local(self) -> None:
        """Reset all statistics."""
        super().reset_local()
        n_classes = len(self._class_names or ())
        self._counts = np.zeros((n_classes, n_classes), np.int64)

    @property
    def matrix(self) -> Any:
        """Matrix of int64 with a row for each actual and a column for each predicted class."""
        return self._counts.copy()

    @property
    def class_names(self) -> list[str]:
        """Names of the classes; their indices, unless names were given."""
        return self._class_names or [str(i) for i in range(len(self._counts))]

    def update(self, labels: Any, preds: Any) -> None:
        """Update with the labels and predictions of a batch.

        Parameters
        ----------
        labels, preds : NDArray or list of NDArray
            Class indices; predictions may be scores with an axis of classes instead.

        Raises
        ------
        ValueError
            The numbers differ, or labels are not indices of the named classes.
        """
        for label, pred in pairs(labels, preds):
            self._count(label, pred)

    def _count(self, label: Any, pred: Any) -> None:
        if pred.shape != label.shape:
            pred = pred.argmax(axis=self._axis)
        if self._ignore_label is not None and pred.shape == label.shape:
            kept = label != self._ignore_label
            label, pred = label[kept], pred[kept]
        actual, predicted = class_indices(label, "labels"), class_indices(pred, "predictions")
        metric.check_label_shapes(actual, predicted)
        if len(actual) == 0:
            return
        n_classes = 1 + int(max(actual.max(), predicted.max()))
        if self._class_names is not None and n_classes > len(self._class_names):
            raise ValueError(
                f"ConfusionMatrix: class {n_classes - 1} has no name, "
                f"got {len(self._class_names)} class_names"
            )
        self._grow(n_classes)
        np.add.at(self._counts, (actual, predicted), 1)
        self.num_inst += len(actual)

    def _grow(self, n_classes: int) -> None:
        missing = max(n_classes - len(self._counts), 0)
        self._counts = np.pad(self._counts, (0, missing))

    def get(self) -> tuple[Any, Any]:
        """Return name and balanced accuracy; nan without updates."""
        support = self._counts.sum(axis=1)
        has_samples = support > 0
        if not has_samples.any():
            return self.name, float("nan")
        return self.name, float((self._counts.diagonal() / support.clip(1))[has_samples].mean())

    def report(self) -> ClassReport:
        """Return precision, recall and F1 score of each class."""
        return ClassReport(self._counts, self.class_names)

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each actual class; requires pandas."""
        import pandas

        index, columns = (
            pandas.Index(self.class_names, name=name) for name in ("actual", "predicted")
        )
        return pandas.DataFrame(self._counts, index=index, columns=columns)

    def plot(self, normalize: bool = False) -> Any:
        """Draw the matrix; requires matplotlib.

        Parameters
        ----------
        normalize : bool, default False
            Show fractions of each actual class instead of numbers.

        Returns
        -------
        matplotlib.figure.Figure
        """
        import matplotlib.pyplot

        values = self._counts / self._counts.sum(axis=1, keepdims=True).clip(1)
        texts = values.round(2) if normalize else self._counts
        names = self.class_names
        size = 3 + 0.5 * len(names)
        figure, diagram = matplotlib.pyplot.subplots(figsize=(size, size))
        image = diagram.imshow(values, cmap="Blues", vmin=0, vmax=1)
        for (row, column), text in np.ndenumerate(texts):
            color = "white" if values[row, column] > 0.5 else "black"
            diagram.text(column, row, f"{text:g}", ha="center", va="center", color=color)
        ticks = range(len(names))
        diagram.set(xlabel="predicted", ylabel="actual", xticks=ticks, yticks=ticks)
        if max(map(len, names), default=0) > 3:
            diagram.set_xticklabels(names, rotation=45, ha="right")
        else:
            diagram.set_xticklabels(names)
        diagram.set_yticklabels(names)
        figure.colorbar(image, label="fraction of the actual class", fraction=0.046)
        figure.tight_layout()
        return figure
