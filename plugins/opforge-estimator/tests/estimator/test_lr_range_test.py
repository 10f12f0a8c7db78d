"""The test of learning rates."""

import numpy as np
import pytest

from opforge import gluon, lr_scheduler, metric, nd
from opforge.gluon.contrib.estimator import Estimator, LRRangeTestHandler

pytestmark = pytest.mark.plugins


def fitted(handler, optimizer="sgd", **settings):
    net = gluon.nn.Dense(1, in_units=2)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.25, **settings})
    x = nd.random.uniform(0.5, 1.5, shape=(64, 2))  # losses of batches are similar
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(x, x.sum(axis=1) * 3), 8)
    made = Estimator(net, gluon.loss.L2Loss(), train_metrics=metric.MSE(), trainer=trainer)
    made.fit(data, epochs=50, event_handlers=[handler])
    return trainer


def test_rates_grow_by_a_constant_factor_until_the_last_batch():
    handler = LRRangeTestHandler(1e-4, 1e-1, num_batches=20)
    trainer = fitted(handler)
    rates = np.array(handler.learning_rates)
    assert len(rates) == 20 == len(handler.losses)
    np.testing.assert_allclose(rates, np.geomspace(1e-4, 1e-1, 20))
    assert trainer.learning_rate == 0.25
    assert 1e-4 <= handler.suggestion() <= 1e-1


def test_it_ends_where_the_loss_diverges():
    handler = LRRangeTestHandler(1e-3, 1e3, num_batches=100)
    fitted(handler)
    assert 3 < len(handler.losses) < 100
    assert handler.losses[-1] > 4 * min(handler.losses)
    assert handler.suggestion() < handler.learning_rates[-1]


def test_a_second_run_starts_from_scratch():
    handler = LRRangeTestHandler(1e-4, 1e-2, num_batches=5)
    fitted(handler)
    fitted(handler)
    assert len(handler.losses) == 5


def test_a_scheduler_is_rejected():
    scheduler = lr_scheduler.FactorScheduler(3, base_lr=0.25)
    with pytest.raises(ValueError, match="without lr_scheduler"):
        fitted(LRRangeTestHandler(), lr_scheduler=scheduler)


@pytest.mark.parametrize("given", [(1, 0.1), (0, 1), (1e-3, 1, 1)])
def test_bad_settings(given):
    with pytest.raises(ValueError, match="LRRangeTestHandler: "):
        LRRangeTestHandler(*given)


def test_a_suggestion_needs_losses():
    with pytest.raises(ValueError, match="0 losses were recorded"):
        LRRangeTestHandler().suggestion()


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    handler = LRRangeTestHandler(1e-4, 1e-1, num_batches=10)
    fitted(handler)
    (diagram,) = handler.plot().axes
    assert diagram.get_xscale() == "log"
    assert diagram.lines[0].get_xdata().tolist() == handler.learning_rates
    assert diagram.lines[1].get_xdata()[0] == handler.suggestion()
