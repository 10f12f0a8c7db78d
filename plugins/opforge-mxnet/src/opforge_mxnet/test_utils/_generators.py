"""Statistical checks of random number generators, under MXNet's names."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

__all__ = [
    "chi_square_check",
    "gen_buckets_probs_with_ppf",
    "mean_check",
    "var_check",
    "verify_generator",
]

_SAMPLES = 1_000_000
#: Allowed deviation of a moment, in standard errors.
_SIGMAS = 3


def gen_buckets_probs_with_ppf(
    ppf: Callable[[float], float], nbuckets: int
) -> tuple[list[tuple[float, float]], list[float]]:
    """Divide a distribution into intervals of equal probability.

    Parameters
    ----------
    ppf : callable
        Quantile function of the distribution.
    nbuckets : int, at least 1

    Returns
    -------
    tuple
        List of intervals and list of their probabilities.

    Examples
    --------
    >>> gen_buckets_probs_with_ppf(lambda p: 4 * p, 2)
    ([(0.0, 2.0), (2.0, 4.0)], [0.5, 0.5])
    """
    assert nbuckets > 0, f"nbuckets is {nbuckets}; expected at least 1"
    ends = [ppf(i / nbuckets) for i in range(nbuckets + 1)]
    return list(pairwise(ends)), [1.0 / nbuckets] * nbuckets


def mean_check(
    generator: Callable[[int], Any], mu: float, sigma: float, nsamples: int = _SAMPLES
) -> bool:
    """Return whether the mean of samples is within three standard errors of `mu`.

    Parameters
    ----------
    generator : callable
        ``generator(n)`` returns n random numbers.
    mu, sigma : float
        Mean and standard deviation of the distribution.
    nsamples : int
    """
    mean = np.asarray(generator(nsamples)).mean()
    return bool(abs(mean - mu) < _SIGMAS * sigma / math.sqrt(nsamples))


def var_check(generator: Callable[[int], Any], sigma: float, nsamples: int = _SAMPLES) -> bool:
    """Return whether the variance of samples is within three standard errors of ``sigma ** 2``.

    The parameters are those of `mean_check`. The standard error is that of a normal distribution.
    """
    variance = np.asarray(generator(nsamples)).var(ddof=1)
    return bool(abs(variance - sigma**2) < _SIGMAS * math.sqrt(2 * sigma**4 / (nsamples - 1)))


def chi_square_check(
    generator: Callable[[int], Any],
    buckets: Sequence[Any],
    probs: Sequence[float],
    nsamples: int = _SAMPLES,
) -> tuple[float, np.ndarray, np.ndarray]:
    """Test samples against a distribution with Pearson's chi-squared test.

    Parameters
    ----------
    generator : callable
        ``generator(n)`` returns n random numbers.
    buckets : list of (float, float), or list of numbers
        Disjoint intervals in ascending order, or the values of a discrete distribution.
    probs : list of float
        Probability of each interval or value.
    nsamples : int

    Returns
    -------
    tuple of float, numpy.ndarray, numpy.ndarray
        The p-value, and the observed and expected number of samples in each bucket.

    Raises
    ------
    ImportError
        SciPy is not installed.
    """
    import scipy.stats

    assert len(probs) == len(buckets), f"{len(probs)} probabilities for {len(buckets)} buckets"
    samples = np.asarray(generator(nsamples))
    if isinstance(buckets[0], list | tuple):
        observed = _in_intervals(samples, buckets)
    else:
        observed = np.array([(samples == value).sum() for value in buckets])
    expected = nsamples * np.asarray(probs, np.float64)
    # Not scipy.stats.chisquare: it rejects samples outside all buckets.
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(scipy.stats.chi2.sf(statistic, len(probs) - 1)), observed, expected


def _in_intervals(samples: np.ndarray, intervals: Sequence[Sequence[float]]) -> np.ndarray:
    ends = np.asarray(intervals, np.float64).ravel()
    assert (ends[:-1] <= ends[1:]).all(), f"buckets must be in order and disjoint; got {intervals}"
    positions = np.searchsorted(ends, samples, side="right")
    return np.bincount(positions[positions % 2 == 1] // 2, minlength=len(intervals))[
        : len(intervals)
    ]


def verify_generator(
    generator: Callable[[int], Any],
    buckets: Sequence[Any],
    probs: Sequence[float],
    nsamples: int = _SAMPLES,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """Repeat `chi_square_check` and raise AssertionError if too few of the tests succeed.

    Parameters
    ----------
    generator, buckets, probs, nsamples
        As for `chi_square_check`.
    nrepeat : int
        Number of tests.
    success_rate : float
        Fraction of the tests that must succeed.
    alpha : float
        Significance level: a test succeeds if its p-value is greater.

    Returns
    -------
    list of float
        The p-value of each test.
    """
    tests = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    values = [p for p, _, _ in tests]
    successes = sum(p > alpha for p in values)
    if successes < nrepeat * success_rate:
        raise AssertionError(
            f"{successes} of {nrepeat} chi-squared tests succeeded; expected at least "
            f"{nrepeat * success_rate:g}: p-values {values}, observed counts "
            f"{[found.tolist() for _, found, _ in tests]}, expected counts {tests[0][2].tolist()}, "
            f"buckets {list(buckets)}"
        )
    return values
