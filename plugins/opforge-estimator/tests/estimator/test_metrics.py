import math

import numpy as np
import pytest

from opforge import gluon, metric
from opforge.gluon.contrib.estimator import metrics


def names(found):
    return [one.name for one in found]


def test_composites_are_taken_apart():
    inner = metric.CompositeEvalMetric([metric.RMSE()])
    nested = metric.CompositeEvalMetric([metric.MAE(), inner])
    assert names(metrics.metric_list(nested)) == ["mae", "rmse"]
    assert metrics.metric_list(None) == []


def test_training_and_validation_metrics_have_distinct_names():
    given = metric.MAE()
    loss = gluon.loss.L2Loss()
    for _ in range(2):  # of two estimators
        training = metrics.training_metrics(given, loss)
        assert training == [given] and given.name == "training mae"
    copies = metrics.validation_metrics(None, training, loss)
    assert names(copies) == ["validation mae"] and copies[0] is not given
    assert names(metrics.validation_metrics([metric.RMSE()], training, loss)) == ["validation rmse"]


def test_a_default_by_the_loss():
    found = metrics.training_metrics(None, gluon.loss.L2Loss(prefix="l2loss12_"))
    assert names(found) == ["training l2loss"]
    found = metrics.training_metrics(None, gluon.loss.SoftmaxCrossEntropyLoss(prefix="ce_"))
    assert names(found) == ["training accuracy", "training ce"]


def test_known_metrics():
    class Handler:
        def __init__(self, **kwargs):
            self.__dict__.update(kwargs)

        def log_metrics(self):
            """A method is no metric."""

    known, other = metric.MAE(), metric.MAE()
    for good in ({"metrics": [known]}, {"metric": known}, {"other": other}, {"metrics": None}):
        assert metrics.expect_known(Handler(**good), [known]) is None
    with pytest.raises(ValueError, match="Handler refers to the metric 'mae'"):
        metrics.expect_known(Handler(eval_metric=[known, other]), [known])


@pytest.mark.parametrize(
    ("name", "mode", "better"),
    [
        ("validation accuracy", "auto", np.greater),
        ("top_k_accuracy_5", "auto", np.greater),
        ("F1", "auto", np.greater),
        ("mcc", "auto", np.greater),
        ("validation loss", "auto", np.less),
        ("perplexity", "auto", np.less),
        ("accuracy", "min", np.less),
        ("loss", "max", np.greater),
    ],
)
def test_comparison_depends_on_metric_and_mode(name, mode, better):
    found = metrics.comparison("Handler", metric.Loss(name), mode)
    assert found is better
    assert found(0.0, metrics.worst(found)) and not found(metrics.worst(found), 0.0)
    assert math.isinf(metrics.worst(found))


def test_an_unknown_mode_is_auto():
    with pytest.warns(RuntimeWarning, match="Handler: got mode='best'"):
        assert metrics.comparison("Handler", metric.Accuracy(), "best") is np.greater


@pytest.mark.parametrize("monitor", [None, "acc", metric.CompositeEvalMetric([metric.MAE()])])
def test_invalid_monitors_raise(monitor):
    with pytest.raises(ValueError, match=r"Handler: .*metrics"):
        metrics.expect_monitor("Handler", monitor)
