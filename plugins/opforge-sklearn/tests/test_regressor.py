"""`NetRegressor`: shapes and types of targets."""

import numpy as np
import pytest

from opforge import gluon
from opforge.sklearn import NetRegressor

QUICK = {"hidden_sizes": (16,), "learning_rate": 0.05, "epochs": 40, "random_state": 0}


@pytest.fixture
def X():
    """Return 60 samples with three features."""
    return np.random.default_rng(0).uniform(-1, 1, size=(60, 3))


@pytest.mark.parametrize("shape", [(60,), (60, 1), (60, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predictions_have_shape_and_type_of_the_targets(X, shape, dtype):
    y = (X[:, : shape[-1]] ** 2 if len(shape) == 2 else X[:, 0] ** 2).astype(dtype)
    model = NetRegressor(**QUICK).fit(X, y)
    predicted = model.predict(X)
    assert predicted.shape == shape
    assert predicted.dtype == dtype
    assert model.score(X, y) > 0.8


def test_predictions_of_integers_are_float32(X):
    assert NetRegressor(epochs=1).fit(X, np.arange(60)).predict(X).dtype == np.float32


@pytest.mark.parametrize("loss", ["HuberLoss", gluon.loss.L1Loss()])
def test_losses(X, loss):
    model = NetRegressor(loss=loss, **QUICK).fit(X, X[:, 0])
    assert model.score(X, X[:, 0]) > 0.8


def test_partial_training(X):
    model = NetRegressor(**QUICK)
    for _ in range(40):
        model.partial_fit(X, X[:, :2])
    assert model.n_iter_ == 40
    assert model.score(X, X[:, :2]) > 0.8
    with pytest.raises(ValueError, match="y has 3 targets; expected 2 as in the first call"):
        model.partial_fit(X, X)


def test_metrics_by_name(X):
    model = NetRegressor(metrics=["mae", "rmse"], epochs=2, validation_fraction=0.2)
    history = model.fit(X, X[:, 0]).history_
    assert list(history) == ["loss", "mae", "rmse", "val_loss", "val_mae", "val_rmse"]
    assert list(NetRegressor(epochs=1).fit(X, X[:, 0]).history_) == ["loss"]
