import pytest

from opforge import metric, nd
from opforge.gluon.contrib.estimator import EpochEnd, MetricHandler, ValidationHandler


def test_metrics_are_reset_and_updated():
    error, loss = metric.MAE(), metric.Loss()
    handler = MetricHandler([error, loss])
    for _ in range(2):
        handler.epoch_begin(None)
        handler.batch_end(None, pred=[nd.ones(2)], label=[nd.zeros(2)], loss=[nd.full(2, 3.0)])
        assert (error.get()[1], loss.get()[1]) == (1, 3)
    assert handler.priority == -1000


@pytest.mark.parametrize(
    ("periods", "times"),
    [({}, 3), ({"epoch_period": 2}, 1), ({"epoch_period": None, "batch_period": 5}, 2)],
)
def test_a_validation_every_so_often(estimator, data, periods, times):
    seen = []

    def evaluate(**kwargs):
        seen.append(kwargs)

    handler = ValidationHandler("data", evaluate, event_handlers="handlers", **periods)
    estimator().fit(data(), epochs=3, event_handlers=[handler])  # 12 batches
    assert seen == [{"val_data": "data", "batch_axis": 0, "event_handlers": "handlers"}] * times


def test_handlers_of_a_validation(estimator, data):
    class Count(EpochEnd):
        count = 0

        def epoch_end(self, estimator, *args, **kwargs):
            self.count += 1

    count, made = Count(), estimator()
    handler = ValidationHandler(data(2), made.evaluate, event_handlers=count)
    made.fit(data(2), data(2), epochs=2, event_handlers=[handler])
    assert count.count == 2
