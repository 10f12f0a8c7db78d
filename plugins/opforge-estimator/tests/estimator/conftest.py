"""Training task of the estimator tests: learn one factor from numbers and their doubles."""

import io
import logging

import pytest

from opforge import gluon, metric, nd
from opforge.gluon.contrib.estimator import Estimator


class _Line(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.slope = self.params.get("slope", shape=(1,), init="zeros")

    def hybrid_forward(self, F, x, slope):
        return F.broadcast_mul(x, slope)


@pytest.fixture
def line():
    """Return a class of hybrid blocks that multiply by one parameter."""
    return _Line


@pytest.fixture
def data():
    """Return a function that creates a DataLoader of n samples in batches of two."""

    def make(samples=8):
        x = nd.arange(samples).reshape((samples, 1)) / samples
        return gluon.data.DataLoader(gluon.data.ArrayDataset(x, 2 * x), batch_size=2)

    return make


@pytest.fixture
def estimator():
    """Return a function that makes an Estimator of a new line, whose `log` has its lines."""

    def make(net=None, **kwargs):
        net = _Line() if net is None else net
        net.initialize()
        kwargs.setdefault(
            "trainer",
            gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.25}),
        )
        kwargs.setdefault("train_metrics", metric.MAE())
        made = Estimator(net, gluon.loss.L2Loss(), **kwargs)
        made.log = io.StringIO()
        made.logger.handlers = [logging.StreamHandler(made.log)]
        return made

    return make
