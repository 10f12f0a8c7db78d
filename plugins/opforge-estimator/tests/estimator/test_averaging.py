import pytest

from opforge.gluon.contrib.estimator import AveragingHandler, BatchEnd


class Expected(BatchEnd):
    """Compute the average of the slope in Python."""

    def __init__(self, decay):
        self.decay = decay
        self.average = None
        self.batches = 0

    def batch_end(self, estimator, *args, **kwargs):
        slope = estimator.net.slope.data().asscalar()
        self.average = slope if self.average is None else self.average
        decay = min(self.decay, (1 + self.batches) / (10 + self.batches))
        self.average = decay * self.average + (1 - decay) * slope
        self.batches += 1


def test_the_average_and_its_application(estimator, data):
    made, handler, expected = estimator(), AveragingHandler(0.5), Expected(0.5)
    made.fit(data(), epochs=4, event_handlers=[handler, expected])
    trained = made.net.slope.data().asscalar()
    with handler.applied():
        assert made.net.slope.data().asscalar() == pytest.approx(expected.average, rel=1e-5)
    assert made.net.slope.data().asscalar() == trained != pytest.approx(expected.average, rel=1e-3)


def test_parameters_return_after_an_error(estimator, data):
    made, handler = estimator(), AveragingHandler()
    made.fit(data(), epochs=1, event_handlers=handler)
    trained = made.net.slope.data().asscalar()
    with pytest.raises(RuntimeError), handler.applied():
        raise RuntimeError
    assert made.net.slope.data().asscalar() == trained


def test_each_training_starts_from_its_parameters(estimator, data):
    made, handler = estimator(), AveragingHandler(0.9)
    for _ in range(2):
        made.fit(data(), epochs=1, event_handlers=handler)
        assert handler.batches == 4


@pytest.mark.parametrize("decay", [-0.1, 1, 2])
def test_invalid_decay(decay):
    with pytest.raises(ValueError, match="expected 0 <= decay < 1"):
        AveragingHandler(decay)
