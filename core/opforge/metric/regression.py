"""Metrics for predicted numbers: `MAE`, `MSE`, `RMSE`, `PearsonCorrelation`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .base import PairMetric, alias, register

__all__ = ["MAE", "MSE", "RMSE", "PearsonCorrelation"]


class _Error(PairMetric):
    """Base class of metrics that average the error of each pair of arrays over the pairs."""

    default_name = ""

    def __init__(
        self,
        name: str | None = None,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name or self.default_name, output_names, label_names)

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        return self._mean(_column(label) - _column(pred)), 1

    def _mean(self, difference: Any) -> float:
        raise NotImplementedError


@register
class MAE(_Error):
    """Mean absolute error.

    Parameters
    ----------
    name : str, default "mae"
    output_names, label_names : list of str, optional
    """

    default_name = "mae"

    def _mean(self, difference: Any) -> float:
        return float(np.abs(difference).mean())


@register
class MSE(_Error):
    """Mean squared error.

    Parameters
    ----------
    name : str, default "mse"
    output_names, label_names : list of str, optional
    """

    default_name = "mse"

    def _mean(self, difference: Any) -> float:
        return float((difference**2.0).mean())


@register
class RMSE(_Error):
    """Root of the mean squared error of each pair of arrays, averaged.

    Parameters
    ----------
    name : str, default "rmse"
    output_names, label_names : list of str, optional
    """

    default_name = "rmse"

    def _mean(self, difference: Any) -> float:
        return float(np.sqrt((difference**2.0).mean()))


@register
@alias("pearsonr")
class PearsonCorrelation(PairMetric):
    """Pearson correlation of labels and predictions, averaged over the updates.

    Parameters
    ----------
    name : str, default "pearsonr"
    output_names, label_names : list of str, optional
    """

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(name, output_names, label_names)

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        return float(np.corrcoef(pred.ravel(), label.ravel())[0, 1]), 1


def _column(array: Any) -> Any:
    """Return a vector as a column, to match predictions of shape (batch, 1)."""
    return array.reshape(-1, 1) if array.ndim == 1 else array
