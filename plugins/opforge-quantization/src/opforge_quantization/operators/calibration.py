"""Operator calibrate_entropy: the range of values that quantized numbers should represent."""

from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, F, OperatorProp, ShapeError, kernels

__all__ = ["CalibrateEntropy"]

#: Probability that smoothing gives to empty bins, which counts of 1 and more lose.
EPSILON = 1e-4


class CalibrateEntropy(OperatorProp):
    """Return the threshold at which quantization preserves a distribution best.

    For each threshold, counts beyond it are moved to the outermost bins, and are compared with
    what is left of them after neighboring bins are merged into `num_quantized_bins`. The threshold
    with the smallest Kullback-Leibler divergence is returned.

    Examples
    --------
    >>> from opforge import nd
    >>> hist = nd.array([1, 0, 0, 40, 90, 40, 0, 0, 1])
    >>> edges = nd.arange(-4.5, 5.5)
    >>> threshold, divergence = nd.contrib.calibrate_entropy(hist, edges, num_quantized_bins=5)
    >>> threshold.asnumpy().tolist()
    [2.5]
    """

    name = "_contrib_calibrate_entropy"
    category = "reduction"
    arguments = ("hist", "hist_edges")
    outputs = ("threshold", "divergence")
    dtypes = ("float32", "float64")
    argument_docs = {
        "hist": "shape (n,), counts; n is odd, and zero is in the bin in the middle",
        "hist_edges": "shape (n + 1,), the edges of the bins",
    }
    differentiable = False
    attrs = {"IsPure": True}
    num_quantized_bins = Attribute(int, default=255, ge=1, doc="Number of quantized values.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return two numbers; edges are one more than counts."""
        hist, edges = map(tuple, in_shape)
        n_bins = prod(hist) if hist else prod(edges) - 1 if edges else 0
        if n_bins > 0:
            hist, edges = hist or (n_bins,), edges or (n_bins + 1,)
            self._check(n_bins, hist, edges)
        return [hist, edges], [(1,), (1,)], []

    def _check(self, n_bins: int, hist: Any, edges: Any) -> None:
        """Raise a ShapeError for sizes that do not match, or for too few bins."""
        if prod(edges) not in (0, n_bins + 1):
            raise ShapeError(
                f"operator '{self.name}': 'hist_edges' has shape {edges}; expected ({n_bins + 1},) "
                f"because 'hist' has shape {hist}"
            )
        if n_bins % 2 == 0 or n_bins < self.num_quantized_bins:
            raise ShapeError(
                f"operator '{self.name}': 'hist' has shape {hist}; expected an odd number of bins, "
                f"at least num_quantized_bins={self.num_quantized_bins}. Count in more bins, or "
                "pass a smaller num_quantized_bins"
            )

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compare all thresholds."""
        hist, edges = (np.asarray(array).ravel() for array in in_data)
        self._check(hist.size, in_data[0].shape, in_data[1].shape)
        threshold, divergence = self._best(hist, edges)
        for value, out, kind in zip((threshold, divergence), out_data, req, strict=True):
            if kind != "null":
                kernels.cast(F.from_numpy(np.array([value])), out, req=kind)

    def _best(self, hist: np.ndarray, edges: np.ndarray) -> tuple[float, float]:
        """Return the threshold with the smallest divergence; NaN for counts that are not finite."""
        if not np.isfinite(hist).all():
            return np.nan, np.nan
        if (hist < 0).any():
            raise ValueError(
                f"'hist' has the count {hist[hist < 0][0]:g}; expected counts of at least 0"
            )
        middle, first = hist.size // 2, self.num_quantized_bins // 2
        divergences = [self._divergence(hist, middle - i) for i in range(first, middle + 1)]
        best = int(np.argmin(divergences))
        largest = float(np.finfo(hist.dtype).max)
        return edges[middle + first + best + 1], min(divergences[best], largest)

    def _divergence(self, hist: np.ndarray, start: int) -> float:
        """Return the divergence without `start` bins at each end; inf if no bin has counts."""
        stop = len(hist) - start
        counts = np.trunc(hist[start:stop])
        counts[0] = 0
        exact = hist[start:stop].copy()
        exact[0] = _total(hist[: start + 1])
        exact[-1] = _total(np.concatenate([exact[-1:], hist[stop:]]))
        merged = self._merge(counts)
        merged[exact == 0] = 0
        p, q = _smooth(exact), _smooth(merged)
        if p is None or q is None:
            return np.inf
        return float(_total(p * np.log(p / q)))

    def _merge(self, counts: np.ndarray) -> np.ndarray:
        """Return the mean of the counts that are not 0 in each quantized bin, for its bins."""
        width = len(counts) // self.num_quantized_bins
        starts = np.arange(self.num_quantized_bins) * width
        totals = np.add.reduceat(counts, starts)
        occupied = np.add.reduceat((counts != 0).astype(counts.dtype), starts)
        return np.repeat(totals / np.maximum(occupied, 1), np.diff(starts, append=len(counts)))


def _total(values: np.ndarray) -> Any:
    """Add in order and in the type of the values, as MXNet does, whose choices depend on it."""
    return np.cumsum(values, dtype=values.dtype)[-1]


def _smooth(counts: np.ndarray) -> np.ndarray | None:
    """Return positive probabilities, or None if too few bins have counts."""
    is_empty = counts == 0
    n_empty = np.count_nonzero(is_empty)
    n_others = len(counts) - n_empty
    if n_empty * EPSILON >= n_others:
        return None
    epsilon, empty, others = np.array([EPSILON, n_empty, n_others], counts.dtype)
    lost = epsilon * empty / others
    smooth = counts + np.where(is_empty, epsilon, -lost)
    return smooth / _total(smooth) if smooth.min() > 0 else None
