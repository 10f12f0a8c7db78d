from types import SimpleNamespace

import pytest
from opforge_mxnet.gluon.contrib.estimator_checks import (
    _check_handler_metric_ref,
    _check_metrics,
    _suggest_metric_for_loss,
)

from opforge import metric
from opforge.gluon.loss import L2Loss, SoftmaxCrossEntropyLoss


def test_metrics_are_a_list():
    one, other = metric.Accuracy(), metric.MSE()
    both = metric.CompositeEvalMetric([one, metric.CompositeEvalMetric([other])])
    assert _check_metrics(both) == [one, other]
    assert _check_metrics(one) == _check_metrics([one]) == [one]
    assert _check_metrics(None) == []
    with pytest.raises(ValueError, match="list of Metric, got"):
        _check_metrics(["acc"])


def test_handlers_know_the_metrics_of_the_estimator():
    one, other = metric.Accuracy(), metric.MSE()
    _check_handler_metric_ref(SimpleNamespace(metrics=[one], val_metric=None, monitor=5), [one])
    with pytest.raises(ValueError, match="SimpleNamespace refers to a metric instance"):
        _check_handler_metric_ref(SimpleNamespace(train_metrics=[one, other]), [one])
    with pytest.raises(ValueError, match="outside"):
        _check_handler_metric_ref(SimpleNamespace(metric=other), [one])


def test_a_classifier_has_accuracy():
    assert isinstance(_suggest_metric_for_loss(SoftmaxCrossEntropyLoss()), metric.Accuracy)
    assert _suggest_metric_for_loss(L2Loss()) is None


@pytest.mark.plugins
def test_programs_import_it_from_estimator():
    from opforge.gluon.contrib.estimator.utils import _check_metrics as found

    assert found is _check_metrics
