"""Classes with log-uniform (Zipfian) probabilities, as candidates for sampled losses."""

import math
from typing import Any

import numpy as np

from opforge.plugin_api import (
    Attribute,
    AttributeValueError,
    F,
    OperatorProp,
    Shape,
    context,
    sym,
)

from .arrays import store

__all__ = ["rand_zipfian", "symbol_rand_zipfian"]

#: Largest number of candidates that are drawn at once, unless there are more rows.
_MAX_DRAWS = 1 << 22


class SampleUniqueZipfian(OperatorProp):
    r"""Draw different classes with log-uniform probabilities; also return the numbers of trials.

    Candidates are drawn until the row has enough different ones. With :math:`r` classes,

    .. math:: P(c) = \frac{\log(c + 1.5) - \log \max(c + 0.5, 1)}{\log r}

    and the last class gets what is left. As in MXNet 1.9.1, this differs from the probabilities of
    `nd.contrib.rand_zipfian`.

    Examples
    --------
    >>> from opforge import nd
    >>> classes, trials = nd._internal._sample_unique_zipfian(100, shape=(2, 3))
    >>> classes.shape, trials.shape
    ((2, 3), (2,))
    """

    name = "_sample_unique_zipfian"
    category = "random"
    arguments = ()
    outputs = ("output0", "output1")
    output_dtypes = {"output0": "int64", "output1": "int64"}
    differentiable = False
    attrs = {"FResourceRequest": ("random",)}
    range_max = Attribute(int, ge=1, doc="Number of classes.")
    shape = Attribute(Shape, doc="Rows, and classes to draw for each row, at most `range_max`.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if len(self.shape) != 2 or not 0 <= self.shape[1] <= self.range_max or self.shape[0] < 0:
            raise AttributeValueError(
                f"operator '{self.name}': shape is {self.shape}; expected (rows, n) with n of at "
                f"most {self.range_max} because range_max={self.range_max}"
            )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of classes and numbers of trials."""
        return [], [self.shape, self.shape[:1]], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Draw candidates for all rows until each has enough different classes."""
        rows, count = self.shape
        classes, trials = np.full(self.shape, -1), np.zeros(rows, np.int64)
        active, size = np.arange(rows if count else 0), 2 * count
        while active.size:
            size = max(min(size, _MAX_DRAWS // active.size), 1)
            both = np.concatenate([classes[active], self._candidates(active.size, size)], axis=1)
            is_new = _is_first_of_equals(both) & (both >= 0)
            totals = np.cumsum(is_new, axis=1)
            row, column = np.nonzero(is_new & (totals <= count))
            classes[active[row], totals[row, column] - 1] = both[row, column]
            trials[active] += np.minimum((totals < count).sum(axis=1) + 1 - count, size)
            active = active[totals[:, -1] < count]
            size *= 2
        store(out_data[0], classes, req[0])
        store(out_data[1], trials, req[1])

    def _candidates(self, rows: int, size: int) -> np.ndarray:
        logarithms = F.random.uniform(0, math.log(self.range_max), (rows, size), "float64")
        drawn = np.floor(np.exp(logarithms.asnumpy()) + 0.5).astype(np.int64) - 1
        # Rounding can reach the number of classes only at the excluded upper limit.
        return np.minimum(drawn, self.range_max - 1)


def _is_first_of_equals(rows: np.ndarray) -> np.ndarray:
    """Return whether each element is the first one of its value in the row."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    differs = np.ones(rows.shape, bool)
    differs[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    result = np.empty_like(differs)
    np.put_along_axis(result, order, differs, axis=1)
    return result


def rand_zipfian(
    true_classes: Any, num_sampled: int, range_max: int, ctx: Any = None
) -> tuple[Any, Any, Any]:
    r"""Draw classes with log-uniform probabilities, with replacement.

    .. math:: P(c) = \frac{\log(c + 2) - \log(c + 1)}{\log(r + 1)}

    Class 0 is the most frequent one, as in a vocabulary that is sorted by frequency.

    Parameters
    ----------
    true_classes : NDArray
        Classes of the targets.
    num_sampled : int
        Number of classes to draw.
    range_max : int
        Number of classes, :math:`r`.
    ctx : Context, optional
        By default, the current context.

    Returns
    -------
    samples : NDArray, shape (num_sampled,), int64
    expected_count_true : NDArray, the shape of `true_classes`, float64
        Number of times that each true class is expected among the samples.
    expected_count_sample : NDArray, shape (num_sampled,), float64
        The same for each sample.

    Raises
    ------
    ValueError
        A number is not positive.

    Examples
    --------
    >>> from opforge import nd
    >>> samples, of_true, of_samples = nd.contrib.rand_zipfian(nd.array([3]), 4, 5)
    >>> samples.shape, of_true.asnumpy().round(3).tolist()
    ((4,), [0.498])
    """
    ctx = context.current_context() if ctx is None else ctx
    log_range = _log_range(num_sampled, range_max)
    logarithms = F.random.uniform(0, log_range, (num_sampled,), "float64", ctx)
    true_classes = true_classes.as_in_context(ctx)
    return _samples_and_counts(F, logarithms, true_classes, num_sampled, range_max)


def symbol_rand_zipfian(
    true_classes: Any, num_sampled: int, range_max: int
) -> tuple[Any, Any, Any]:
    """Return the symbols of `rand_zipfian`.

    Parameters
    ----------
    true_classes : Symbol
        Classes of the targets.
    num_sampled : int
        Number of classes to draw.
    range_max : int
        Number of classes.
    """
    if not isinstance(true_classes, sym.Symbol):
        raise TypeError(
            f"rand_zipfian: true_classes is {type(true_classes).__name__}; expected a Symbol. Use "
            "nd.contrib.rand_zipfian for arrays"
        )
    log_range = _log_range(num_sampled, range_max)
    logarithms = sym.random.uniform(0, log_range, (num_sampled,), "float64")
    return _samples_and_counts(sym, logarithms, true_classes, num_sampled, range_max)


def _log_range(num_sampled: int, range_max: int) -> float:
    for name, value in (("num_sampled", num_sampled), ("range_max", range_max)):
        if value < 1:
            raise ValueError(f"rand_zipfian: {name} is {value}; expected at least 1")
    return math.log(range_max + 1)


def _samples_and_counts(
    functions: Any, logarithms: Any, true_classes: Any, num_sampled: int, range_max: int
) -> tuple[Any, Any, Any]:
    """Return classes with these logarithms, and the expected counts, for arrays or symbols."""
    # Rounding can reach the number of classes.
    samples = functions.cast(functions.exp(logarithms) - 1, dtype="int64") % range_max
    scale = num_sampled / math.log(range_max + 1)

    def expected_count(classes: Any) -> Any:
        return functions.log1p(1 / (functions.cast(classes, dtype="float64") + 1)) * scale

    return samples, expected_count(true_classes), expected_count(samples)
