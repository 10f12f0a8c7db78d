"""The loops, the defaults, and what is refused."""

import pytest

import opforge as mx
from opforge import gluon, init, metric, nd
from opforge.gluon.contrib.estimator import (
    BatchBegin,
    BatchEnd,
    BatchProcessor,
    EarlyStoppingHandler,
    EpochBegin,
    EpochEnd,
    Estimator,
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
    StoppingHandler,
    TrainBegin,
    TrainEnd,
    ValidationHandler,
)


class Recorder(TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd):
    def __init__(self):
        self.events = []

    def train_begin(self, estimator, *args, **kwargs):
        self.events.append("train begin")

    def epoch_begin(self, estimator, *args, **kwargs):
        self.events.append("epoch begin")

    def batch_begin(self, estimator, *args, batch, **kwargs):
        self.events.append(f"batch of {len(batch)}")

    def batch_end(self, estimator, *args, batch, pred, label, loss, **kwargs):
        self.events.append([len(pred), len(label), len(loss), loss[0].shape])

    def epoch_end(self, estimator, *args, **kwargs):
        self.events.append("epoch end")

    def train_end(self, estimator, *args, **kwargs):
        self.events.append("train end")


def slope(made):
    return made.net.slope.data().asscalar()


def test_events_come_in_order(estimator, data):
    recorder = Recorder()
    estimator().fit(data(3), epochs=1, event_handlers=recorder)
    batches = ["batch of 2", [1, 1, 1, (2,)], "batch of 2", [1, 1, 1, (1,)]]
    assert recorder.events == [
        "train begin",
        "epoch begin",
        *batches,
        "epoch end",
        "train end",
    ]


def test_a_training_finds_the_slope(estimator, data):
    made = estimator()
    made.fit(data(), data(4), epochs=40)
    assert slope(made) == pytest.approx(2, abs=0.01)
    assert [m.name for m in made.train_metrics] == ["training mae"]
    assert [m.name for m in made.val_metrics] == ["validation mae"]
    assert made.val_metrics[0].get()[1] < 0.01


def test_fit_stops_after_n_batches(estimator, data):
    recorder = Recorder()
    made = estimator()
    made.fit(data(), batches=6, event_handlers=[recorder])
    assert recorder.events.count("batch of 2") == 6
    assert recorder.events.count("epoch end") == 2
    assert made.batches_per_epoch == 4


def test_handlers_of_a_user_stay_as_they_are(estimator, data):
    given = [Recorder()]
    made = estimator()
    for _ in range(2):
        made.fit(data(2), epochs=2, event_handlers=given)
    assert len(given) == 1
    assert given[0].events.count("epoch begin") == 4


def test_evaluate_changes_no_parameter(estimator, data):
    made = estimator()
    recorder = Recorder()
    made.evaluate(data(4), event_handlers=recorder)
    assert slope(made) == 0
    assert made.val_metrics[0].get() == ("validation mae", 0.75)
    assert recorder.events[0] == "epoch begin" and recorder.events[-1] == "epoch end"


def test_two_contexts_share_a_batch(line, data):
    both = [mx.cpu(0), mx.cpu(1)]
    net = line()
    net.initialize(ctx=both)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    made = Estimator(net, gluon.loss.L2Loss(), trainer=trainer, context=both)
    made.logger.handlers = []
    made.fit(data(2), batches=1)
    values = [net.slope.data(ctx).asscalar() for ctx in both]
    assert values == [0.25, 0.25]  # the mean over both samples of 2x * x, x being 0 and 0.5


def test_a_validation_network_and_loss(estimator, line, data):
    other = line()
    other.initialize(init.Constant(3.0))
    other.slope.set_data(nd.array([3.0]))
    made = estimator(val_net=other, val_loss=gluon.loss.L1Loss(), val_metrics=metric.Loss("l1"))
    made.evaluate(data(2))
    assert made.val_metrics[0].get() == ("validation l1", 0.25)


def test_defaults_by_the_loss(line):
    net = line()
    net.initialize()
    with pytest.warns(UserWarning, match="No trainer specified"):
        made = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss())
    assert isinstance(made.train_metrics[0], metric.Accuracy)
    names = [m.name for m in made.train_metrics]
    assert names[0] == "training accuracy" and names[1].startswith("training softmax")
    assert made.trainer.learning_rate == 0.001
    assert made.context == [mx.cpu()]


def test_default_handlers_are_ordered(estimator, data):
    made = estimator()
    early = EarlyStoppingHandler(made.val_metrics[0])
    handlers = made._prepare_default_handlers(data(), [early])
    assert [type(handler) for handler in handlers] == [
        GradientUpdateHandler,
        MetricHandler,
        ValidationHandler,
        EarlyStoppingHandler,
        StoppingHandler,
        LoggingHandler,
    ]


def test_handlers_of_ones_own_replace_the_defaults(estimator, data):
    class Frozen(GradientUpdateHandler):
        def batch_end(self, estimator, *args, **kwargs):
            return False

    made = estimator()
    made.fit(data(), epochs=1, event_handlers=[Frozen()])
    assert slope(made) == 0


def test_a_batch_processor(estimator, data):
    class Doubled(BatchProcessor):
        def _get_data_and_label(self, batch, ctx, batch_axis=0):
            x, y = super()._get_data_and_label(batch, ctx, batch_axis)
            return x, [2 * label for label in y]

    made = estimator(batch_processor=Doubled())
    made.fit(data(), epochs=60)
    assert slope(made) == pytest.approx(4, abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "got epochs=None and batches=None"),
        ({"epochs": 1, "batches": 1}, "one and only one"),
        ({"epochs": 1, "train_data": [nd.ones(2)]}, "expected an array of labels as the second"),
        ({"epochs": 1, "val_data": nd.ones(2)}, "val_data is NDArray, expected a gluon.data"),
        ({"epochs": 1, "event_handlers": [print]}, "got <built-in function print>"),
        (
            {"epochs": 1, "event_handlers": LoggingHandler(metrics=metric.RMSE())},
            "'rmse', which is not one of the Estimator's",
        ),
    ],
)
def test_fit_rejects_invalid_arguments(estimator, data, arguments, message):
    with pytest.raises(ValueError, match=message):
        estimator().fit(**({"train_data": data(2)} | arguments))


def test_batches_of_no_data_are_an_error_and_no_endless_loop(estimator):
    empty = gluon.data.DataLoader([], batch_size=2)
    with pytest.raises(ValueError, match="train_data has no batches"):
        estimator().fit(empty, batches=1)


def test_a_sampler_that_does_not_know_its_length(estimator):
    class Sampler:
        def __iter__(self):
            return iter([[0, 1], [2]])

    x = nd.array([[0.0], [1.0], [2.0]])
    dataset = gluon.data.ArrayDataset(x, 2 * x)
    made = estimator()
    made.fit(gluon.data.DataLoader(dataset, batch_sampler=Sampler()), epochs=1)
    assert made.batches_per_epoch is None
