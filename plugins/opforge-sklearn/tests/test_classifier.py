"""`NetClassifier`: labels, probabilities, partial training."""

import numpy as np
import pytest

import opforge as mx
from opforge import gluon
from opforge.sklearn import NetClassifier

QUICK = {"hidden_sizes": (16,), "learning_rate": 0.02, "epochs": 25, "random_state": 0}


@pytest.fixture
def blobs():
    """Return a function that makes 60 samples of some classes, far from each other."""

    def make(classes=3):
        y = np.arange(60) % classes
        return np.random.default_rng(0).normal(size=(60, 2)) * 0.3 + 3 * np.c_[y, y % 2], y

    return make


@pytest.mark.parametrize(
    "labels",
    [
        ["ham", "eggs", "spam"],
        [True, False],
        [-1, 7, 3],
        np.array(["b", "a"], dtype=object),
        [2.0, 1.0],
    ],
)
def test_labels_of_any_kind(blobs, labels):
    X, codes = blobs(len(labels))
    y = np.asarray(labels)[codes]
    model = NetClassifier(**QUICK).fit(X, y)
    assert model.score(X, y) == 1
    assert model.classes_.tolist() == sorted(labels)
    predicted = model.predict(X)
    assert predicted.dtype == y.dtype
    assert predicted.tolist() == y.tolist()


def test_probabilities_and_decisions_agree(blobs):
    X, y = blobs()
    model = NetClassifier(**QUICK).fit(X, y)
    proba, decisions = model.predict_proba(X), model.decision_function(X)
    assert proba.dtype == decisions.dtype == np.float32
    assert proba.shape == decisions.shape == (60, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(proba.argmax(axis=1), decisions.argmax(axis=1))
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))


def test_decisions_of_two_classes_are_log_odds(blobs):
    X, y = blobs(2)
    model = NetClassifier(**QUICK).fit(X, y)
    decisions, proba = model.decision_function(X), model.predict_proba(X)
    assert decisions.shape == (60,)
    np.testing.assert_allclose(1 / (1 + np.exp(-decisions)), proba[:, 1], rtol=1e-5)
    np.testing.assert_array_equal(decisions > 0, y == 1)


@pytest.mark.parametrize(
    ("loss", "outputs"),
    [
        ("SigmoidBCELoss", 1),
        (gluon.loss.SigmoidBinaryCrossEntropyLoss(), 1),
        (gluon.loss.SoftmaxCrossEntropyLoss(weight=2.0), 2),
        (gluon.loss.SoftmaxCELoss, 2),
    ],
)
def test_losses(blobs, loss, outputs):
    X, y = blobs(2)
    model = NetClassifier(loss=loss, **QUICK).fit(X, y)
    assert model.score(X, y) == 1
    assert model.net_(mx.nd.array(X)).shape == (60, outputs)
    assert list(model.history_) == ["loss"] if outputs == 1 else ["loss", "accuracy"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(model.decision_function(X) > 0, y == 1)


def test_outputs_that_are_probabilities_or_logarithms(blobs):
    X, y = blobs(2)

    def net(n_inputs, n_outputs, last):
        made = gluon.nn.HybridSequential()
        made.add(gluon.nn.Dense(n_outputs), last)
        return made

    sigmoid = NetClassifier(
        net,
        net_params={"last": gluon.nn.Activation("sigmoid")},
        loss=gluon.loss.SigmoidBCELoss(from_sigmoid=True),
        **QUICK,
    ).fit(X, y)
    outputs = sigmoid.net_(mx.nd.array(X)).asnumpy()
    np.testing.assert_allclose(sigmoid.predict_proba(X)[:, 1], outputs[:, 0], rtol=1e-6)
    np.testing.assert_array_equal(sigmoid.decision_function(X) > 0, y == 1)
    logs = NetClassifier(
        net,
        net_params={"last": gluon.nn.HybridLambda("log_softmax")},
        loss=gluon.loss.SoftmaxCrossEntropyLoss(from_logits=True),
        **QUICK,
    ).fit(X, y)
    np.testing.assert_allclose(logs.predict_proba(X).sum(axis=1), 1, rtol=1e-5)
    assert logs.score(X, y) == 1


def test_own_function_from_outputs_to_probabilities(blobs):
    X, y = blobs()
    model = NetClassifier(predict_nonlinearity=lambda outputs: outputs * 0 + [0, 1, 0], **QUICK)
    assert model.fit(X, y).predict_proba(X[:1]).tolist() == [[0, 1, 0]]
    with pytest.raises(ValueError, match="predict_nonlinearity is 'softplus'; expected 'auto'"):
        NetClassifier(predict_nonlinearity="softplus").fit(X, y)


def test_partial_training_continues(blobs):
    X, y = blobs()
    model = NetClassifier(**QUICK)
    for part in range(30):
        at = slice(20 * (part % 3), 20 * (part % 3) + 20)
        model.partial_fit(X[at], y[at], classes=[0, 1, 2])
    assert model.n_iter_ == model.history_.epochs == 30
    assert model.score(X, y) == 1
    assert model.fit(X, y).n_iter_ == 25  # starts again


def test_partial_training_knows_all_classes_from_the_start(blobs):
    X, y = blobs(2)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        NetClassifier().partial_fit(X, y)
    model = NetClassifier(**QUICK).partial_fit(X, y, classes=[0, 1, 2])
    assert model.predict_proba(X).shape == (60, 3)
    with pytest.raises(ValueError, match=r"labels \[5\], which are not in classes, \[0, 1, 2\]"):
        model.partial_fit(X, y * 5)
    with pytest.raises(ValueError, match=r"classes are \[0, 1\]; expected those of the first call"):
        model.partial_fit(X, y, classes=[0, 1])


def test_a_network_with_another_number_of_outputs_is_rejected(blobs):
    X, y = blobs()
    with pytest.raises(
        ValueError, match=r"outputs of shape \(2,\) for each sample; expected 3 num"
    ):
        NetClassifier(gluon.nn.Dense(2)).fit(X, y)


def test_several_labels_per_sample(blobs):
    X, codes = blobs(3)
    y = np.stack([codes == 0, codes != 1], axis=1).astype(int)
    model = NetClassifier(**{**QUICK, "epochs": 40}, validation_fraction=0.2).fit(X, y)
    assert model.score(X, y) == 1
    np.testing.assert_array_equal(model.predict(X), y)
    proba, decisions = model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(1 / (1 + np.exp(-decisions)), proba, rtol=1e-5)
    np.testing.assert_array_equal(decisions > 0, y == 1)
    assert model.partial_fit(X, y).n_iter_ == 41
    with pytest.raises(ValueError, match=r"y has shape \(60, 3\); expected \(n_samples, 2\)"):
        model.partial_fit(X, np.eye(3)[codes])
    with pytest.raises(ValueError, match=r"y has shape \(60,\); expected \(n_samples, 2\)"):
        model.partial_fit(X, codes)


def test_each_class_against_the_others(blobs):
    X, y = blobs(3)
    model = NetClassifier(loss="SigmoidBCELoss", **{**QUICK, "epochs": 40}).fit(X, y)
    assert model.score(X, y) == 1
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-6)


def test_probabilities_of_large_outputs(blobs):
    X, y = blobs(2)
    model = NetClassifier(loss="SigmoidBCELoss", **QUICK).fit(X, y)
    assert set(model.predict_proba(X * 1e30).flatten().tolist()) <= {0.0, 1.0}
