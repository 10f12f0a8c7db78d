"""Functions of SciPy on arrays of the standard."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import cluster, fft, integrate, ndimage, optimize, special, stats

from opforge import array_api as xp

X = np.abs(np.random.default_rng(0).normal(size=(20, 4))).astype("float32") + 0.1


@pytest.mark.parametrize("name", ["zscore", "skew", "kurtosis", "variation", "gmean", "sem"])
def test_statistics(name: str, agree: Callable[..., None]) -> None:
    agree(getattr(stats, name), X)
    agree(lambda x: getattr(stats, name)(x, axis=1), X.astype("float64"))


def test_tests(agree: Callable[..., None]) -> None:
    agree(lambda x: stats.ttest_ind(x[:, 0], x[:, 1]).pvalue, X.astype("float64"))
    agree(lambda x: stats.pearsonr(x[:, 0], x[:, 1]).statistic, X)


@pytest.mark.parametrize("name", ["expit", "erf", "gammaln", "entr", "ndtr", "i0"])
def test_special_functions(name: str, agree: Callable[..., None]) -> None:
    agree(getattr(special, name), X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: special.logsumexp(x, axis=1),
        lambda x: special.softmax(x, axis=1),
        lambda x: special.xlogy(x, x),
        cluster.vq.whiten,
        lambda x: cluster.vq.vq(x, x[:3, :])[0],
        lambda x: integrate.trapezoid(x, axis=0),
        lambda x: optimize.rosen(x / 2),
        lambda x: fft.dct(x),
        lambda x: ndimage.gaussian_filter(x, 1.0),
    ],
)
def test_other_functions(function: Callable[[Any], Any], agree: Callable[..., None]) -> None:
    agree(function, X, rtol=1e-4)


def test_cubature() -> None:
    ends = xp.zeros(2), xp.ones(2)
    found = integrate.cubature(lambda p: xp.sum(p * p, axis=-1), *ends)
    assert type(found.estimate) is xp.Array
    assert float(found.estimate) == pytest.approx(2 / 3)
