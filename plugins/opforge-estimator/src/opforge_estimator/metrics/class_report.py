"""`ClassReport`: precision, recall and F1 score of each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..html_table import html_table

__all__ = ["ClassReport"]

_COLUMNS = ("precision", "recall", "f1", "support")


class ClassReport:
    """Table with a row for each class, and the means of all classes.

    The rows of means are "mean", in which all classes with samples count the same, and "weighted",
    in which they count by their numbers of samples. Precision is 0 for a class that was never
    predicted, as in scikit-learn's ``classification_report``.

    Parameters
    ----------
    counts : numpy.ndarray
        Confusion matrix: numbers of samples by actual (rows) and predicted class.
    class_names : sequence of str
    """

    def __init__(self, counts: Any, class_names: Sequence[str]) -> None:
        correct, actual, predicted = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
        precision, recall = correct / predicted.clip(1), correct / actual.clip(1)
        f1 = 2 * correct / (actual + predicted).clip(1)
        scores = np.stack([precision, recall, f1], axis=1)
        self._rows = {
            name: (*row, int(support))
            for name, row, support in zip(class_names, scores.tolist(), actual, strict=True)
        }
        total = int(actual.sum())
        for name, weights in (("mean", actual > 0), ("weighted", actual)):
            means = weights @ scores / max(weights.sum(), 1)
            self._rows[name] = (*means.tolist(), total)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the rows by class name, each with "precision", "recall", "f1" and "support"."""
        return {name: dict(zip(_COLUMNS, row, strict=True)) for name, row in self._rows.items()}

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each class; requires pandas."""
        import pandas

        return pandas.DataFrame.from_dict(self.to_dict(), orient="index")

    def __str__(self) -> str:
        width = max(len(name) for name in self._rows)
        lines = [" " * width + "  precision  recall    f1  support"]
        for name, (precision, recall, f1, support) in self._rows.items():
            line = f"{name:{width}}  {precision:9.3f}  {recall:6.3f} {f1:5.3f}  {support:7d}"
            lines.append(line)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """Return the table as HTML, which notebooks show."""
        rows = (
            (name, *(f"{value:.3f}" for value in row[:-1]), str(row[-1]))
            for name, row in self._rows.items()
        )
        return html_table(("", *_COLUMNS), rows, has_row_titles=True)
