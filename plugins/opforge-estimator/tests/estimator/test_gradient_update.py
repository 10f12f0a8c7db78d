import numpy as np
import pytest

import opforge as mx
from opforge import gluon, nd
from opforge.gluon.contrib.estimator import BatchEnd, Estimator, GradientUpdateHandler


class Trainer:
    def __init__(self):
        self.steps = []

    def step(self, batch_size):
        self.steps.append(batch_size)


@pytest.mark.parametrize("loss", [nd.ones(5), [nd.ones(5)], [nd.ones(2), nd.ones(3)]])
def test_gradients_are_divided_by_all_samples(loss):
    class Estimator:
        trainer = Trainer()

    assert not GradientUpdateHandler().batch_end(Estimator, loss=loss)
    assert Estimator.trainer.steps == [5]


class Slopes(BatchEnd):
    """Record the slope after each batch."""

    def __init__(self):
        self.values = []

    def batch_end(self, estimator, *args, **kwargs):
        self.values.append(float(estimator.net.slope.list_data()[0].asscalar()))


def slopes(line, handler, samples=6, context=None, batch_size=1, **fit):
    net = line()
    contexts = context or [mx.cpu()]
    net.initialize(ctx=contexts)
    trainer = gluon.Trainer(net, "sgd", {"learning_rate": 1.0}, update_on_kvstore=False)
    made = Estimator(net, gluon.loss.L2Loss(), trainer=trainer, context=contexts)
    made.logger.handlers = []
    x = nd.ones((samples, 1))
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(x, 2 * x), batch_size)
    recorded = Slopes()
    made.fit(loader, event_handlers=[handler, recorded], **(fit or {"epochs": 1}))
    return recorded.values, net


@pytest.mark.parametrize("context", [None, [mx.cpu(0), mx.cpu(1)]])
def test_the_norm_is_limited(line, context):
    # The gradient of a sample is slope - 2; each step is at most 0.5 long.
    found, _ = slopes(line, GradientUpdateHandler(max_norm=0.5), 12, context, batch_size=2)
    np.testing.assert_allclose(found, [0.5, 1.0, 1.5, 2.0, 2.0, 2.0], rtol=1e-6)


def test_gradients_of_several_batches(line):
    found, net = slopes(line, GradientUpdateHandler(accumulate=4), samples=6)
    # The last two of an epoch give a step of their own, after it.
    assert found == [0, 0, 0, 2, 2, 2]
    assert net.slope.grad_req == "write"


def test_accumulated_gradients_equal_those_of_one_batch(line):
    small, _ = slopes(line, GradientUpdateHandler(max_norm=0.25, accumulate=3), 6, epochs=2)
    large, _ = slopes(line, GradientUpdateHandler(max_norm=0.25), 6, batch_size=3, epochs=2)
    np.testing.assert_allclose(small[2::3], large, rtol=1e-6)


def test_remaining_batches_of_an_epoch(line):
    found, _ = slopes(line, GradientUpdateHandler(accumulate=4), samples=2, epochs=2)
    assert found == [0, 0, 2, 2]


@pytest.mark.parametrize("given", [{"max_norm": 0}, {"max_norm": -1.0}, {"accumulate": 0}])
def test_invalid_arguments(given):
    with pytest.raises(ValueError, match="GradientUpdateHandler: "):
        GradientUpdateHandler(**given)
