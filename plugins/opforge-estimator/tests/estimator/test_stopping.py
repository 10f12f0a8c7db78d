import pytest

from opforge import metric
from opforge.gluon.contrib.estimator import EarlyStoppingHandler, StoppingHandler


class Given(metric.EvalMetric):
    """A metric that has the next of its values at each end of an epoch."""

    def __init__(self, values, name="loss"):
        self.values = iter(values)
        super().__init__(name)

    def update(self, labels, preds):
        pass

    def get(self):
        return self.name, next(self.values)


def epochs(handler, most=10):
    class Estimator:
        max_epoch = most
        max_batch = None

        class logger:
            lines = []

            @classmethod
            def info(cls, text, *values):
                cls.lines.append(text % values)

    handler.train_begin(Estimator)
    count = 0
    while count < most:
        count += 1
        if handler.epoch_end(Estimator):
            break
    if hasattr(handler, "train_end"):
        handler.train_end(Estimator)
    return count, Estimator.logger.lines


def test_the_lesser_limit_holds(estimator, data):
    own = StoppingHandler(max_epoch=2)
    estimator().fit(data(2), epochs=5, event_handlers=[own])
    assert own.current_epoch == own.max_epoch == 2
    own = StoppingHandler(max_batch=3)
    made = estimator()
    for _ in range(2):  # it begins anew
        made.fit(data(), epochs=5, event_handlers=[own])
        assert (own.current_batch, own.current_epoch, own.max_epoch) == (3, 1, 5)


@pytest.mark.parametrize(
    ("values", "arguments", "count"),
    [
        ([3, 2, 2, 1], {}, 3),
        ([3, 2, 2, 1, 1, 1], {"patience": 2}, 6),
        ([3, 2, 1.9, 1.8], {"min_delta": 0.5}, 3),
        ([1, 2, 3, 3], {"mode": "max"}, 4),
        ([1, 1.4, 2], {"mode": "max", "min_delta": 0.5}, 2),
        ([3, 2], {"baseline": 2.5}, 1),
    ],
)
def test_a_training_ends_when_nothing_becomes_better(values, arguments, count):
    handler = EarlyStoppingHandler(Given(values), **arguments)
    found, lines = epochs(handler)
    assert found == count
    assert handler.stopped_epoch == count - 1
    assert lines == [
        f"[Epoch {count - 1}] EarlyStoppingHandler: early stopping due to loss not improving"
    ]


def test_it_goes_on_while_it_becomes_better():
    assert epochs(EarlyStoppingHandler(Given([4, 3, 2, 1])), most=4) == (4, [])


def test_a_metric_without_value_is_a_warning():
    handler = EarlyStoppingHandler(metric.Loss())
    with pytest.warns(RuntimeWarning, match="loss has no value"):
        assert epochs(handler, most=1)[0] == 1


def test_it_needs_a_metric():
    with pytest.raises(ValueError, match="EarlyStoppingHandler: got monitor='loss'"):
        EarlyStoppingHandler("loss")


def test_within_a_training(estimator, data):
    made = estimator()
    handler = EarlyStoppingHandler(made.train_metrics[0], min_delta=100)
    made.fit(data(), epochs=9, event_handlers=[handler])
    assert handler.current_epoch == 2  # the first is better than nothing
