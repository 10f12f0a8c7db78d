"""Networks, losses and optimizers: kinds, copies, errors."""

import numpy as np
import pytest

import opforge as mx
from opforge import gluon, nd
from opforge.gluon import nn
from opforge.sklearn import NetClassifier, NetRegressor

QUICK = {"learning_rate": 0.02, "epochs": 20, "random_state": 0}


@pytest.fixture
def data():
    """Return 40 samples of two classes."""
    y = np.arange(40) % 2
    return np.random.default_rng(0).normal(size=(40, 3)) + 3 * y[:, None], y


def _values(net):
    return [param.data().asnumpy() for param in net.collect_params().values()]


def test_a_block_is_not_modified(data):
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    model = NetClassifier(net, **QUICK).fit(*data)
    assert model.net is net
    assert model.net_ is not net
    with pytest.raises(RuntimeError, match="not been initialized"):
        net[0].weight.data()
    assert model.score(*data) == 1


def test_a_trained_block_keeps_its_values_and_is_trained_further(data):
    net = nn.Dense(2, in_units=3)
    net.initialize(mx.init.One())
    NetClassifier(net, **QUICK).fit(*data)
    assert all((value == at).all() for value, at in zip(_values(net), (1, 0), strict=True))
    tuned = NetClassifier(net, optimizer="sgd", learning_rate=0, epochs=1).fit(*data)
    np.testing.assert_array_equal(tuned.net_.weight.data().asnumpy(), 1)


def test_some_parameters_may_be_trained(data):
    body, net = nn.Dense(8, activation="relu", in_units=3), nn.HybridSequential()
    body.initialize()
    body.collect_params().setattr("grad_req", "null")
    net.add(body, nn.Dense(2))
    trained = NetClassifier(net, **QUICK).fit(*data).net_
    np.testing.assert_array_equal(trained[0].weight.data().asnumpy(), body.weight.data().asnumpy())


def test_a_function_gets_the_numbers_of_inputs_and_outputs(data):
    calls = []

    def net(n_inputs, n_outputs, units):
        calls.append((n_inputs, n_outputs, units))
        made = nn.HybridSequential()
        made.add(nn.Dense(units, in_units=n_inputs), nn.Dense(n_outputs))
        return made

    X, y = data
    NetClassifier(net, net_params={"units": 5}, epochs=1).fit(X, y)
    NetRegressor(net, net_params={"units": 6}, epochs=1).fit(X, X)
    assert calls == [(3, 2, 5), (3, 3, 6)]


def test_images_and_own_networks():
    y = np.arange(32) % 2
    X = np.random.default_rng(0).normal(size=(32, 1, 6, 6)) + y.reshape(-1, 1, 1, 1)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.Dropout(0.2), nn.Dense(2))
    model = NetClassifier(net, **QUICK).fit(X, y)
    assert model.n_features_in_ == 1
    assert model.score(X, y) > 0.9
    assert NetClassifier(**QUICK).fit(X, y).score(X, y) > 0.9  # flattened


class _Sum(gluon.Block):
    """A block that cannot be compiled, with two outputs."""

    def __init__(self):
        super().__init__()
        self.scale = self.params.get("scale", shape=(1,), init="ones")

    def forward(self, x):
        total = x.sum(axis=1) * self.scale.data()
        return total, x


class _FirstLoss(gluon.loss.Loss):
    def __init__(self):
        super().__init__(None, 0)

    def hybrid_forward(self, F, outputs, label):
        return F.abs(outputs[0] - label)


def test_a_block_with_several_outputs(data):
    X, _ = data
    model = NetRegressor(_Sum(), loss=_FirstLoss(), **QUICK).fit(X, X.sum(axis=1) * 1.3)
    assert model.score(X, X.sum(axis=1) * 1.3) > 0.95


@pytest.mark.parametrize("hybridize", [True, False])
def test_compiling_is_a_choice(data, hybridize):
    model = NetClassifier(hybridize=hybridize, **QUICK).fit(*data)
    assert model.net_._active is hybridize


def test_hidden_layers(data):
    model = NetClassifier(hidden_sizes=[7, 5], activation="tanh", epochs=1).fit(*data)
    assert [layer.weight.shape for layer in model.net_] == [(7, 3), (5, 7), (2, 5)]
    assert NetClassifier(hidden_sizes=(), epochs=1).fit(*data).net_[0].weight.shape == (2, 3)


def test_an_optimizer_is_not_modified(data):
    optimizer = mx.optimizer.create("sgd", learning_rate=0.1, momentum=0.9)
    model = NetClassifier(optimizer=optimizer, **QUICK).fit(*data)
    assert model._trainer.optimizer is not optimizer
    assert model._trainer.learning_rate == 0.1
    assert optimizer.num_update == 0


def test_arguments_of_optimizers(data):
    schedule = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=0.5)
    model = NetClassifier(
        optimizer="sgd",
        weight_decay=0.25,
        optimizer_params={"momentum": 0.5, "lr_scheduler": schedule},
        epochs=3,
    ).fit(*data)
    optimizer = model._trainer.optimizer
    assert (optimizer.wd, optimizer.momentum) == (0.25, 0.5)
    assert optimizer.lr_scheduler.base_lr < schedule.base_lr == 0.5


def test_results_are_float32(data):
    X, y = data
    model = NetClassifier(**QUICK).fit(X, y)
    assert model.net_(nd.array(X)).dtype == np.float32
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(X.astype(np.float32)))


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"net": 3}, TypeError, r"net is 3; expected a gluon\.Block"),
        ({"net": lambda i, o: None}, TypeError, "net returned None; expected"),
        ({"net_params": {"a": 1}}, ValueError, "are arguments of a callable net; net is None"),
        ({"loss": 3}, TypeError, r"loss is 3; expected a gluon\.loss\.Loss"),
        ({"loss": "NoLoss"}, AttributeError, "NoLoss"),
        ({"optimizer": "none"}, ValueError, "none"),
        ({"epochs": 0}, ValueError, "epochs is 0; expected at least 1"),
        ({"batch_size": 0}, ValueError, "batch_size is 0; expected at least 1"),
        ({"patience": 0}, ValueError, "patience is 0; expected at least 1"),
        ({"validation_fraction": 1}, ValueError, "validation_fraction is 1; expected a number"),
    ],
)
def test_invalid_parameters_are_rejected_by_fit(data, parameters, error, message):
    model = NetClassifier(**parameters)
    with pytest.raises(error, match=message):
        model.fit(*data)
