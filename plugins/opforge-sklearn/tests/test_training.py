"""Validation, early stopping, event handlers and random numbers."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.gluon import nn
from opforge.gluon.contrib.estimator import (
    AveragingHandler,
    EpochEnd,
    GradientUpdateHandler,
    TrainBegin,
)
from opforge.sklearn import NetClassifier, NetRegressor

QUICK = {"hidden_sizes": (8,), "learning_rate": 0.05, "epochs": 10, "random_state": 0}


@pytest.fixture
def noise():
    """Return 40 samples without any relation to their labels."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 4)), np.arange(40) % 2


def test_training_stops_without_improvement_and_keeps_the_best_parameters(noise):
    model = NetClassifier(**{**QUICK, "epochs": 200}, validation_fraction=0.5, patience=4)
    losses = model.fit(*noise).history_["val_loss"]
    assert model.n_iter_ == len(losses) == int(np.argmin(losses)) + 1 + 4
    shorter = NetClassifier(
        **{**QUICK, "epochs": int(np.argmin(losses)) + 1}, validation_fraction=0.5
    ).fit(*noise)
    np.testing.assert_array_equal(shorter.predict_proba(noise[0]), model.predict_proba(noise[0]))


def test_without_validation_the_loss_of_training_is_observed():
    X, y = np.zeros((8, 1)), np.zeros(8)
    model = NetRegressor(**{**QUICK, "epochs": 50}, patience=3).fit(X, y)
    assert list(model.history_) == ["loss"]
    assert model.n_iter_ == 4  # the loss is 0 from the start


@pytest.mark.parametrize("random_state", range(4))
def test_classes_have_equal_parts_in_validation(noise, random_state):
    X, y = noise[0], np.array([0] * 30 + [1] * 10)
    model = NetClassifier(
        nn.Dense(2, weight_initializer="zeros"),  # always predicts the first class
        learning_rate=0,
        epochs=1,
        validation_fraction=0.2,
        random_state=random_state,
    )
    assert model.fit(X, y).history_["val_accuracy"] == [0.75]


def test_validation_on_given_data(noise):
    X, y = noise
    names = np.array(["first", "second"])[y]
    model = NetClassifier(**QUICK, class_weight={"first": 1, "second": 3})
    history = model.fit(X, names, validation_data=(X[:10], names[:10])).history_
    assert history["val_accuracy"][-1] == model.score(X[:10], names[:10])
    assert list(history) == ["loss", "accuracy", "val_loss", "val_accuracy"]
    model.set_params(patience=2, epochs=50).fit(X, names, validation_data=(X, names[::-1]))
    assert model.n_iter_ == int(np.argmin(model.history_["val_loss"])) + 3
    with pytest.raises(ValueError, match="3 features, but NetClassifier is expecting 4"):
        model.fit(X, names, validation_data=(X[:, 1:], names))
    with pytest.raises(ValueError, match=r"y has the labels \['third'\], which are not in classes"):
        model.set_params(class_weight=None).fit(
            X, names, validation_data=(X, np.where(y, names, "third"))
        )


class _Count(TrainBegin, EpochEnd):
    """Handler with a state that a training changes."""

    def __init__(self):
        self.epochs = 0

    def epoch_end(self, estimator, *args, **kwargs):
        self.epochs += 1
        return self.epochs == 3


def test_handlers_are_copied(noise):
    handler = _Count()
    model = NetClassifier(event_handlers=handler, **QUICK)
    assert model.fit(*noise).n_iter_ == model.fit(*noise).n_iter_ == 3
    assert handler.epochs == 0


def test_functions_make_handlers_for_the_estimator(noise):
    made = []

    def handler(estimator):
        made.append((_Count(), estimator))
        return made[-1][0]

    model = NetClassifier(
        event_handlers=[GradientUpdateHandler(max_norm=0.5), AveragingHandler(), handler], **QUICK
    ).fit(*noise)
    assert len(made) == 1
    assert made[0][0].epochs == model.n_iter_ == 3
    assert made[0][1].net is model.net_


@pytest.mark.parametrize("verbose", [0, 1])
def test_a_log_is_written_if_asked_for(noise, verbose, capsys):
    NetClassifier(**QUICK, verbose=verbose).fit(*noise)
    assert ("[Epoch 9] Finished" in capsys.readouterr().out) is bool(verbose)


def _random_model(**parameters):
    """Return a classifier with everything that is random."""
    net = nn.HybridSequential()
    net.add(nn.Dense(8), nn.Dropout(0.5), nn.Dense(2))
    return NetClassifier(net, **{**QUICK, "epochs": 3, **parameters}, validation_fraction=0.25)


def test_a_seed_determines_the_results(noise):
    X, y = noise
    model = _random_model()
    found = [model.fit(X, y).predict_proba(X) for _ in range(2)]
    np.testing.assert_array_equal(*found)
    model.set_params(random_state=1)
    assert (model.fit(X, y).predict_proba(X) != found[0]).all()


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(3)])
def test_without_a_seed_results_differ(noise, random_state):
    X, y = noise
    model = _random_model(random_state=random_state)
    found = [model.fit(X, y).predict_proba(X) for _ in range(2)]
    assert (found[0] != found[1]).all()


def test_numpys_seed_applies_without_random_state(noise):
    X, y = noise
    model = _random_model(random_state=None)
    found = []
    for _ in range(2):
        np.random.seed(5)
        found.append(model.fit(X, y).predict_proba(X))
    np.testing.assert_array_equal(*found)


def test_random_numbers_of_the_program_stay_the_same(noise):
    mx.random.seed(1)
    np.random.seed(1)
    expected = nd.random.uniform(shape=3).tolist(), np.random.uniform(size=3).tolist()
    mx.random.seed(1)
    np.random.seed(1)
    _random_model().fit(*noise).partial_fit(*noise).predict(noise[0])
    assert (nd.random.uniform(shape=3).tolist(), np.random.uniform(size=3).tolist()) == expected


def test_inputs_are_not_modified(noise):
    X, y = noise
    weights = np.linspace(1, 2, 40)
    for array in (X, y, weights):
        array.setflags(write=False)
    NetClassifier(**QUICK).fit(X.astype(np.float32), y, sample_weight=weights)
    NetClassifier(**QUICK).fit(X, y, sample_weight=weights).partial_fit(X, y).predict(X)


def test_several_contexts(noise):
    X, y = noise
    one = NetRegressor(**QUICK, context=mx.cpu(1)).fit(X, y)
    two = NetRegressor(**QUICK, context=[mx.cpu(0), mx.cpu(1)]).fit(X, y)
    with mx.cpu(1):
        current = NetRegressor(**QUICK).fit(X, y)
    assert one.net_[0].weight.list_ctx() == current.net_[0].weight.list_ctx() == [mx.cpu(1)]
    np.testing.assert_array_equal(current.predict(X), one.predict(X))
    np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-3, atol=1e-3)
