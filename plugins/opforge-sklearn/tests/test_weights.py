"""Weights of samples and classes."""

import numpy as np
import pytest
from sklearn.base import clone

from opforge.sklearn import NetClassifier, NetRegressor

#: Batches with all samples.
WHOLE = {"hidden_sizes": (8,), "learning_rate": 0.02, "batch_size": 100, "random_state": 0}


@pytest.fixture
def blobs():
    """Return 30 samples of three classes, and integer weights from 0 to 4."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    return rng.normal(size=(30, 2)) + 2 * y[:, None], y, rng.integers(0, 5, size=30)


@pytest.mark.parametrize("model", [NetClassifier(epochs=10, **WHOLE), NetRegressor(**WHOLE)])
def test_weights_are_equivalent_to_repetitions(model, blobs):
    X, y, weights = blobs
    model = clone(model)
    predict = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    found = getattr(model.fit(X, y, sample_weight=weights), predict)(X)
    model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(found, getattr(model, predict)(X), rtol=1e-4, atol=1e-5)


def test_the_scale_of_weights_does_not_matter(blobs):
    X, y, weights = blobs
    model = NetRegressor(epochs=3, **WHOLE)
    found = model.fit(X, y, sample_weight=weights).predict(X)
    np.testing.assert_allclose(
        model.fit(X, y, sample_weight=weights / 1000).predict(X), found, rtol=1e-4
    )


def test_class_weights_multiply_sample_weights(blobs):
    X, y, weights = blobs
    model = NetClassifier(class_weight={0: 5.0, 1: 1.0, 2: 0.5}, epochs=5, **WHOLE)
    found = model.fit(X, y, sample_weight=weights).predict_proba(X)
    factors = np.array([5.0, 1.0, 0.5])[y]
    plain = NetClassifier(epochs=5, **WHOLE).fit(X, y, sample_weight=weights * factors)
    np.testing.assert_array_equal(plain.predict_proba(X), found)


def test_balanced_classes_have_equal_weights():
    X = np.zeros((20, 1))  # only the frequencies of the classes can be learned
    y = np.array(["rare"] * 2 + ["common"] * 18)
    model = NetClassifier(class_weight="balanced", epochs=100, **WHOLE).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 0.5, atol=0.02)
    with pytest.raises(ValueError, match="class_weight is 'balanced', which partial_fit does not"):
        model.partial_fit(X, y)


def test_weights_apply_to_validation(blobs):
    X, y, _ = blobs
    wrong = np.where(np.arange(30) < 15, y, 2 - y)
    model = NetClassifier(epochs=20, validation_fraction=0.5, **WHOLE)
    weighted = model.fit(X, wrong, sample_weight=np.arange(30) < 15).history_["val_loss"][-1]
    assert weighted < model.fit(X, wrong).history_["val_loss"][-1]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros(30), "at least one non-zero"),
        (-np.ones(30), "Negative values in data passed to `?sample_weight"),
        (np.full(30, np.nan), "sample_weight contains NaN"),
        (np.ones((30, 2)), "Sample weights must be 1D"),
        (np.ones(29), "inconsistent numbers of samples"),
    ],
)
def test_invalid_weights_are_rejected(blobs, weights, message):
    X, y, _ = blobs
    with pytest.raises(ValueError, match=message):
        NetClassifier(epochs=1).fit(X, y, sample_weight=weights)
