"""`History`: the metrics of each epoch of a training, as `Estimator.fit` returns them."""

from collections.abc import Iterator, Mapping
from typing import Any

from .events import EpochEnd
from .metrics import TRAINING, VALIDATION

__all__ = ["History", "HistoryHandler", "values_of"]


class History(Mapping[str, list[float]]):
    """Lists of one value per epoch, by name.

    Names are those of the metrics, with ``val_`` in front for validation: ``"accuracy"`` and
    ``"val_accuracy"``.

    Examples
    --------
    >>> history = History()
    >>> history.append({"accuracy": 0.5, "val_accuracy": 0.25})
    >>> history.append({"accuracy": 0.75, "val_accuracy": 0.5})
    >>> history["val_accuracy"]
    [0.25, 0.5]
    >>> history
    History(2 epochs: accuracy 0.75, val_accuracy 0.5)
    """

    def __init__(self) -> None:
        self._epochs: list[dict[str, float]] = []

    def append(self, values: Mapping[str, float]) -> None:
        """Add the values of an epoch."""
        self._epochs.append(dict(values))

    @property
    def epochs(self) -> int:
        """Number of epochs."""
        return len(self._epochs)

    def __getitem__(self, name: str) -> list[float]:
        if name not in list(self):
            raise KeyError(f"{name!r}; the history has {', '.join(self) or 'no epoch'}")
        return [epoch.get(name, float("nan")) for epoch in self._epochs]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for epoch in self._epochs for name in epoch))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        last = ", ".join(f"{name} {self[name][-1]:.4g}" for name in self)
        return f"History({self.epochs} epochs: {last})"

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each epoch, counted from 1; requires pandas."""
        import pandas

        rows = pandas.RangeIndex(1, self.epochs + 1, name="epoch")
        return pandas.DataFrame(dict(self), index=rows)

    def plot(self) -> Any:
        """Draw the values of training and validation over the epochs; requires matplotlib.

        Returns
        -------
        matplotlib.figure.Figure
            One diagram per metric.
        """
        import matplotlib.pyplot

        names = [name for name in self if not name.startswith("val_")]
        width = max(len(names), 1)
        figure, axes = matplotlib.pyplot.subplots(1, width, figsize=(5 * width, 4), squeeze=False)
        epochs = range(1, self.epochs + 1)
        for diagram, name in zip(axes[0], names, strict=False):
            for label, key in (("training", name), ("validation", f"val_{name}")):
                if key in self:
                    diagram.plot(epochs, self[key], label=label, marker="o", markersize=3)
            diagram.set(xlabel="epoch", ylabel=name)
            diagram.xaxis.get_major_locator().set_params(integer=True)
            diagram.legend()
        return figure


class HistoryHandler(EpochEnd):
    """Handler that appends the metrics of each epoch to a `History`.

    It runs after the metrics are updated and the validation is done.

    Parameters
    ----------
    history : History
    with_validation : bool
        Whether validation metrics have values.
    """

    priority = -900.0

    def __init__(self, history: History, with_validation: bool) -> None:
        self.history = history
        self._with_validation = with_validation

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Append the values of an epoch."""
        metrics = [*estimator.train_metrics]
        if self._with_validation:
            metrics += estimator.val_metrics
        self.history.append(values_of(metrics))
        return False


def values_of(metrics: Any) -> dict[str, float]:
    """Return the values of metrics by the names that a `History` has."""
    pairs = [pair for metric in metrics for pair in metric.get_name_value()]
    return {_short_name(name): float(value) for name, value in pairs}


def _short_name(name: str) -> str:
    if name.startswith(VALIDATION):
        return "val_" + name.removeprefix(VALIDATION)
    return name.removeprefix(TRAINING)
