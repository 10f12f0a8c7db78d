"""Estimators in pipelines and searches, and their copies."""

import copy
import io
import pickle

import joblib
import numpy as np
import pandas
import pytest
from joblib.externals.loky import get_reusable_executor
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import opforge as mx
from opforge import gluon
from opforge.gluon import nn
from opforge.sklearn import NetClassifier, NetRegressor

QUICK = {"hidden_sizes": (8,), "learning_rate": 0.05, "epochs": 10, "random_state": 0}


@pytest.fixture
def data():
    """Return 48 samples of two classes."""
    y = np.arange(48) % 2
    return np.random.default_rng(0).normal(size=(48, 3)) + 3 * y[:, None], y


@pytest.fixture
def processes():
    """Stop the processes of joblib after the test."""
    yield
    get_reusable_executor().shutdown(wait=True)


def test_a_search_in_processes(data, processes):
    model = make_pipeline(StandardScaler(), NetClassifier(**QUICK))
    search = GridSearchCV(
        model,
        {"netclassifier__hidden_sizes": [(), (4,)], "netclassifier__optimizer": ["sgd", "adam"]},
        cv=2,
        n_jobs=2,
        scoring="neg_log_loss",
    ).fit(*data)
    assert search.best_params_["netclassifier__optimizer"] == "adam"
    assert search.best_estimator_.score(*data) == 1
    here = clone(search).set_params(n_jobs=1).fit(*data)
    key = "mean_test_score"
    np.testing.assert_allclose(here.cv_results_[key], search.cv_results_[key], rtol=1e-4)


def test_searches_over_blocks_and_losses(data):
    search = GridSearchCV(
        NetClassifier(**QUICK),
        {"net": [None, nn.Dense(2)], "loss": [None, gluon.loss.SoftmaxCELoss()]},
        cv=2,
    ).fit(*data)
    assert search.best_score_ > 0.9


def test_cross_validation(data):
    X, y = data
    assert cross_val_score(NetClassifier(**QUICK), X, y, cv=3).tolist() == [1, 1, 1]
    assert cross_val_score(NetRegressor(**QUICK), X, y, cv=3).min() > 0.3


def test_data_frames_with_columns_of_several_types(data):
    X, y = data
    frame = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(kind=np.where(y, "x", "y"))
    columns = ColumnTransformer(
        [("numbers", StandardScaler(), ["a", "b", "c"]), ("kinds", OneHotEncoder(), ["kind"])]
    )
    model = make_pipeline(columns, NetClassifier(**QUICK)).fit(frame, pandas.Series(y))
    assert model.score(frame, y) == 1


def test_names_of_features(data):
    frame = pandas.DataFrame(data[0], columns=["a", "b", "c"])
    model = NetClassifier(**QUICK).fit(frame, data[1])
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="The feature names should match"):
        model.predict(frame[["b", "a", "c"]])
    with pytest.raises(ValueError, match="2 features, but NetClassifier is expecting 3"):
        model.fit(*data).predict(data[0][:, :2])


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_numbers_that_are_not_finite_are_rejected(data, bad):
    X, y = data
    X[3, 1] = bad
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="Input X contains"):
        NetClassifier().fit(X, y)


def test_sparse_matrices_are_rejected(data):
    X, y = data
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        NetClassifier().fit(csr_array(X), y)


def _joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), _joblib]
)
def test_copies_predict_and_train_in_the_same_way(data, copied):
    X, y = data
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dropout(0.3), nn.BatchNorm(), nn.Dense(2))
    model = NetClassifier(net, **{**QUICK, "epochs": 3}).fit(X, y)
    same = copied(model)
    np.testing.assert_array_equal(same.predict_proba(X), model.predict_proba(X))
    assert dict(same.history_) == dict(model.history_)
    before = model.predict_proba(X)
    np.testing.assert_array_equal(
        same.partial_fit(X, y).predict_proba(X), copied(model).partial_fit(X, y).predict_proba(X)
    )
    np.testing.assert_array_equal(model.predict_proba(X), before)
    np.testing.assert_array_equal(model.partial_fit(X, y).predict_proba(X), same.predict_proba(X))


def test_a_clone_has_the_same_parameters():
    parameters = {
        "net": nn.Dense(2),
        "loss": gluon.loss.L2Loss(),
        "optimizer": mx.optimizer.create("sgd"),
        "metrics": ["mae"],
        "context": mx.cpu(),
    }
    model = NetRegressor(**parameters)
    assert all(model.get_params()[name] is value for name, value in parameters.items())
    copied = clone(model)
    assert isinstance(copied.net, nn.Dense)
    with pytest.raises(NotFittedError):
        copied.predict([[1.0]])
