import numpy as np
import pytest

from opforge import gluon, metric, nd
from opforge.gluon.contrib.estimator import Estimator, TensorBoardHandler


@pytest.fixture
def fit(tmp_path):
    """Return a function that trains for two epochs of two batches, with a handler."""

    def train(net=None, data=None, **kwargs):
        if net is None:
            net = gluon.nn.HybridSequential(gluon.nn.Dense(1))
        net.initialize()
        x = nd.arange(8).reshape((8, 1)) / 8
        trainer = gluon.Trainer(net, "sgd", {"learning_rate": 0.25})
        made = Estimator(net, gluon.loss.L2Loss(), metric.MAE(), trainer=trainer)
        made.logger.setLevel("ERROR")
        handler = TensorBoardHandler(tmp_path / "run", **kwargs)
        loader = gluon.data.DataLoader(gluon.data.ArrayDataset(x, 2 * x), batch_size=4)
        return made.fit(loader, loader, epochs=2, event_handlers=[handler])

    return train


def values(events, tag):
    from tensorboard.util import tensor_util

    return [float(tensor_util.make_ndarray(e.tensor_proto)) for e in events.Tensors(tag)]


def test_both_runs_have_the_values_of_the_history(fit, read_events):
    history = fit()
    train, validation = read_events("run/train"), read_events("run/validation")
    np.testing.assert_allclose(values(train, "epochs/mae"), history["mae"], rtol=1e-6)
    np.testing.assert_allclose(values(validation, "epochs/mae"), history["val_mae"], rtol=1e-6)
    np.testing.assert_allclose(values(train, "epochs/learning_rate"), [0.25] * 2, rtol=1e-6)
    assert [event.step for event in train.Tensors("epochs/mae")] == [1, 2]
    tags = train.Tags()["tensors"]
    assert {tag.split("/")[0] for tag in tags} == {"epochs", "parameters", "gradients"}
    assert sum(tag.endswith("weight") for tag in tags) == 2
    assert any(node.op == "FullyConnected" for node in train.Graph().node)


def test_options(fit, read_events):
    fit(batch_interval=1, histograms=False, graph=False, hyperparameters={"rate": 0.5})
    train = read_events("run/train")
    tags = train.Tags()
    assert len(values(train, "batches/mae")) == 4
    assert not tags["graph"]
    assert "_hparams_/session_start_info" in tags["tensors"]
    assert not any(tag.startswith("parameters") for tag in tags["tensors"])


class Early(gluon.HybridBlock):
    """A block that reads values, which no graph has."""

    def hybrid_forward(self, F, x):
        return x * x.sum().asscalar()


def test_networks_without_a_graph_are_trained(fit, read_events):
    net = gluon.nn.HybridSequential(gluon.nn.Dense(1), Early())
    with pytest.warns(UserWarning, match="the network has no graph, pass graph=False"):
        fit(net)
    fit(gluon.nn.Sequential(gluon.nn.Dense(1)))
    assert not read_events("run/train").Tags()["graph"]


def test_intervals_are_positive(tmp_path):
    with pytest.raises(ValueError, match="batch_interval is 0, expected at least 1"):
        TensorBoardHandler(tmp_path, batch_interval=0)
