"""Metrics for predicted numbers: `MAE`, `MSE`, `RMSE`, `PearsonCorrelation`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .base import PairMetric, alias, check_label_shapes, register

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
    """Pearson correlation of labels and predictions.

    Parameters
    ----------
    name : str, default "pearsonr"
    output_names, label_names : list of str, optional
    average : {"macro", "micro"}, default "macro"
        Mean of the correlations of all updates, or the correlation over all samples.

    Raises
    ------
    ValueError
        `average` is neither.
    """

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        if average not in ("macro", "micro"):
            raise ValueError(
                f"PearsonCorrelation: got average={average!r}, expected 'macro' or 'micro'"
            )
        self.average = average
        super().__init__(name, output_names, label_names, average=average)

    def reset_local(self) -> None:
        """Reset all statistics except the global ones."""
        super().reset_local()
        self._moments = _Moments()

    def reset(self) -> None:
        """Reset all statistics."""
        super().reset()
        self._global_moments = _Moments()

    def _measure(self, label: Any, pred: Any) -> tuple[float, float]:
        label, pred = (array.ravel().astype(np.float64) for array in (label, pred))
        check_label_shapes(label, pred)
        if self.average == "macro":
            return float(np.corrcoef(pred, label)[0, 1]), 1
        self._moments.add(label, pred)
        self._global_moments.add(label, pred)
        return 0.0, 1

    def get(self) -> tuple[Any, Any]:
        """Return name and correlation since `reset` or `reset_local`; nan without updates."""
        return self._result(self._moments) if self.average == "micro" else super().get()

    def get_global(self) -> tuple[Any, Any]:
        """Return name and correlation since `reset`."""
        micro = self.average == "micro"
        return self._result(self._global_moments) if micro else super().get_global()

    def _result(self, moments: "_Moments") -> tuple[Any, Any]:
        return self.name, moments.correlation()


class _Moments:
    """Number, means and centered second moments of pairs, merged from parts as by Chan et al."""

    def __init__(self) -> None:
        self._count = 0
        self._means = np.zeros(2)
        self._products = np.zeros((2, 2))

    def add(self, *pairs: Any) -> None:
        """Add arrays of the first and of the second elements of pairs."""
        values = np.stack(pairs)
        count = values.shape[1]
        if count == 0:
            return
        means = values.mean(axis=1)
        centered = values - means[:, None]
        step, total = means - self._means, self._count + count
        self._products += centered @ centered.T
        self._products += np.outer(step, step) * (self._count * count / total)
        self._means += step * (count / total)
        self._count = total

    def correlation(self) -> float:
        """Return the correlation; nan if one of the variances is 0."""
        (first, both), (_, second) = self._products
        spread = np.sqrt(first) * np.sqrt(second)
        return float(both / spread) if spread else float("nan")


def _column(array: Any) -> Any:
    """Return a vector as a column, to match predictions of shape (batch, 1)."""
    return array.reshape(-1, 1) if array.ndim == 1 else array
