"""Estimators of scikit-learn on arrays of the standard."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

import opforge as mx
from opforge import array_api as xp

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 4)).astype("float32")
Y = X @ np.asarray([1, 2, 3, 4], dtype="float32")
LABELS = (Y > 0).astype("int64")


@pytest.fixture(autouse=True)
def dispatch() -> Iterator[None]:
    """Let scikit-learn compute with the library of its inputs."""
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.mark.parametrize(
    "make",
    [
        StandardScaler,
        MinMaxScaler,
        Normalizer,
        lambda: PCA(2, svd_solver="full"),
        lambda: PCA(2, svd_solver="covariance_eigh"),
        lambda: PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0),
        lambda: make_pipeline(StandardScaler(), PCA(2, svd_solver="full")),
    ],
)
def test_transformers(make: Callable[[], Any], agree: Callable[..., None]) -> None:
    agree(lambda x: make().fit(x).transform(x), X, rtol=1e-4)
    agree(lambda x: make().fit_transform(x), X.astype("float64"))


def test_regression(agree: Callable[..., None]) -> None:
    agree(lambda x, y: Ridge(solver="svd").fit(x, y).predict(x), X, Y, rtol=1e-4)
    x, y = xp.asarray(X), xp.asarray(Y)
    model = Ridge(solver="svd").fit(x, y)
    assert type(model.coef_) is xp.Array
    assert mean_squared_error(y, model.predict(x)) < 1


def test_classification(agree: Callable[..., None]) -> None:
    agree(lambda x, y: LinearDiscriminantAnalysis().fit(x, y).predict(x), X, LABELS)
    x, y = xp.asarray(X), xp.asarray(LABELS)
    model = LinearDiscriminantAnalysis().fit(x, y)
    assert accuracy_score(y, model.predict(x)) > 0.9


def test_splitting() -> None:
    parts = train_test_split(xp.asarray(X), xp.asarray(Y), random_state=0)
    assert [part.shape for part in parts] == [(45, 4), (15, 4), (45,), (15,)]
    assert {type(part) for part in parts} == {xp.Array}


def test_arrays_of_np() -> None:
    x = mx.np.array(X)
    found = StandardScaler().fit_transform(x)
    np.testing.assert_allclose(found.asnumpy(), StandardScaler().fit_transform(X), atol=1e-6)
