"""A network with two outputs, a class and a number."""

import logging

import numpy as np
import pytest
from opforge_estimator.estimator.metrics import comparison
from opforge_estimator.estimator.outputs import LossSum

import opforge as mx
from opforge import gluon, metric, nd
from opforge.gluon.contrib.estimator import EarlyStoppingHandler, Estimator

pytestmark = pytest.mark.plugins


class Two(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.kind, self.size = gluon.nn.Dense(2, in_units=3), gluon.nn.Dense(1, in_units=3)

    def hybrid_forward(self, F, x):
        return self.kind(x), self.size(x)


def losses(**kwargs):
    return {
        "kind": gluon.loss.SoftmaxCrossEntropyLoss(),
        "size": gluon.loss.L2Loss(**kwargs),
    }


def made(loss=None, metrics=None, context=None, hybridize=False, **kwargs):
    mx.random.seed(3)
    net = Two()
    net.initialize(ctx=context)
    if hybridize:
        net.hybridize()
    trainer = gluon.Trainer(net, "adam", {"learning_rate": 0.05})
    result = Estimator(net, loss or losses(), metrics, trainer=trainer, context=context, **kwargs)
    result.logger.setLevel(logging.ERROR)
    return result


def data(n=32):
    x = nd.array(np.random.RandomState(0).randn(n, 3))
    return x, x[:, 0] > 0, x.sum(axis=1)


@pytest.mark.parametrize("hybridize", [False, True])
def test_each_label_has_its_metrics(hybridize):
    estimator = made(
        metrics={"kind": metric.Accuracy(), "size": [metric.MAE(), metric.RMSE()]},
        hybridize=hybridize,
    )
    history = estimator.fit(data(), data(), epochs=40, batch_size=8)
    names = ["kind_accuracy", "size_mae", "size_rmse"]
    assert list(history) == names + [f"val_{name}" for name in names]
    assert history["val_kind_accuracy"][-1] > 0.9
    assert history["val_size_mae"][-1] < 0.1 < history["val_size_mae"][0]


def test_metrics_are_those_of_their_output():
    estimator = made(metrics={"size": metric.MAE(), "kind": metric.Accuracy()})
    x, kind, size = data()
    found = estimator.evaluate((x, kind, size))
    kinds, sizes = estimator.predict(x)
    accuracy = (kinds.argmax(axis=1) == kind).mean().asscalar()
    assert found["val_kind_accuracy"] == pytest.approx(float(accuracy))
    error = np.abs(sizes.asnumpy()[:, 0] - size.asnumpy()).mean()
    assert found["val_size_mae"] == pytest.approx(float(error), rel=1e-5)


def test_defaults_are_the_losses_and_their_sum():
    found = made().fit(data(), data(), epochs=1)
    names = ["loss", "kind_accuracy", "kind_softmaxcrossentropyloss", "size_l2loss"]
    assert list(found) == names + [f"val_{name}" for name in names]
    total = found["kind_softmaxcrossentropyloss"][0] + found["size_l2loss"][0]
    assert found["loss"][0] == pytest.approx(total, rel=1e-5)


def test_the_validation_has_its_losses():
    estimator = made(val_loss=losses(weight=2.0))
    halves = made().evaluate(data())
    assert estimator.evaluate(data())["val_size_l2loss"] == pytest.approx(
        2 * halves["val_size_l2loss"]
    )


def test_weights_of_losses_count():
    only = made(loss=losses(weight=0.0))
    only.fit(data(), epochs=1)
    before = only.net.size.weight.data().asnumpy()
    only.fit(data(), epochs=1)
    assert (only.net.size.weight.data().asnumpy() == before).all()


def test_two_contexts():
    both = [mx.cpu(0), mx.cpu(1)]
    estimator = made(metrics={"kind": metric.Accuracy(), "size": metric.MAE()}, context=both)
    found = estimator.evaluate(data())
    assert found == pytest.approx(
        made(metrics={"kind": metric.Accuracy(), "size": metric.MAE()}).evaluate(data())
    )
    estimator.fit(data(), epochs=1)


def test_labels_in_a_list_and_a_single_name():
    x, kind, size = data(4)
    dataset = [(a, (b, c)) for a, b, c in zip(x, kind, size, strict=True)]
    loader = gluon.data.DataLoader(dataset, batch_size=2)
    assert set(made().evaluate(loader)) == set(made().evaluate((x, kind, size)))
    net = gluon.nn.Dense(1)
    net.initialize()
    one = Estimator(net, {"size": gluon.loss.L2Loss()}, trainer=gluon.Trainer(net, "sgd"))
    assert list(one.evaluate((x, size))) == ["val_loss", "val_size_l2loss"]


def test_metrics_may_name_outputs_themselves():
    own = metric.MAE(name="error", output_names=["size"], label_names=["size"])
    found = made(metrics=[own, metric.Loss()]).evaluate(data())
    assert list(found) == ["val_error", "val_loss"]


def test_metrics_of_two_estimators_keep_their_names():
    given = {"kind": metric.Accuracy(), "size": metric.MAE()}
    for _ in range(2):
        assert [m.name for m in made(metrics=given).train_metrics] == [
            "training kind_accuracy",
            "training size_mae",
        ]


def test_a_metric_of_an_output_is_monitored():
    estimator = made(metrics={"kind": metric.Accuracy(), "size": metric.MAE()})
    early = EarlyStoppingHandler(estimator.val_metrics[1], min_delta=100.0, patience=1)
    history = estimator.fit(data(), data(), epochs=5, event_handlers=[early])
    assert history.epochs == 2


def test_output_names_do_not_decide_what_is_better():
    given = metric.MAE("account_mae", output_names=["account"], label_names=["account"])
    assert comparison("Handler", given, "auto") is np.less


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda: data()[:2], r"loss has 2 names \(kind, size\); got 1 labels"),
        (lambda: (*data(), data()[1]), "got 3 labels"),
    ],
)
def test_the_number_of_labels_differs(values, message):
    with pytest.raises(ValueError, match=message):
        made().fit(values(), epochs=1)


def test_the_number_of_outputs_differs():
    with pytest.raises(ValueError, match="got 1 outputs"):
        LossSum(losses())(nd.ones((2, 2)), [nd.ones((2,)), nd.ones((2,))])


def test_a_metric_without_a_loss():
    with pytest.raises(ValueError, match="metrics has the name 'age', but loss has kind, size"):
        made(metrics={"age": metric.MAE()})
    with pytest.raises(ValueError, match="but loss has no names"):
        made(loss=gluon.loss.L2Loss(), metrics={"age": metric.MAE()})


def test_a_loss_that_is_none():
    with pytest.raises(ValueError, match="expected a gluon"):
        made(loss={"kind": None})
