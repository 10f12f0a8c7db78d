import numpy as np
import pytest

from opforge import metric, nd


def test_composite():
    both = metric.create(["acc", metric.MAE()])
    both.update([nd.array([1, 0])], [nd.array([1, 1])])
    assert both.get() == (["accuracy", "mae"], [0.5, 0.5])
    assert both.get_global_name_value() == [("accuracy", 0.5), ("mae", 0.5)]
    assert str(both) == "EvalMetric: {'accuracy': 0.5, 'mae': 0.5}"
    both.reset_local()
    assert both.get_global()[1] == [0.5, 0.5]
    both.reset()
    assert np.isnan(both.get()[1]).all()
    assert both.get_metric(1).name == "mae"
    with pytest.raises(ValueError, match="Metric index 5 is out of range 0 and 2"):
        both.get_metric(5)
    assert [m["metric"] for m in both.get_config()["metrics"]] == ["Accuracy", "MAE"]


def test_composite_by_name():
    both = metric.CompositeEvalMetric(["mse"], label_names=["y"], output_names=["o"])
    both.add("mae")
    both.update_dict(
        {"y": nd.array([1]), "z": nd.array([3])}, {"o": nd.array([3]), "p": nd.array([3])}
    )
    assert both.get()[1] == [4, 2]


def test_functions():
    def worst(label, pred):
        return abs(label - pred).max()

    made = metric.create(worst)
    made.update([nd.array([1, 2])], [nd.array([1, 5])])
    assert made.get() == ("worst", 3.0)
    assert metric.np(worst, name="other").name == "other"
    assert metric.np(lambda label, pred: 0.0).name == "custom(<lambda>)"
    assert metric.CustomMetric(lambda label, pred: 0).name == "custom(<lambda>)"
    with pytest.raises(NotImplementedError, match="cannot be serialized"):
        made.get_config()


def test_pairs_and_extra_outputs():
    made = metric.create(lambda label, pred: (float(pred.sum()), pred.size), name="mean")
    made.update([nd.array([0])], [nd.array([1, 2])])
    assert made.get() == ("mean", 1.5)
    extra = metric.CustomMetric(lambda label, pred: 1.0, allow_extra_outputs=True)
    extra.update([nd.array([0])], [nd.array([1]), nd.array([1])])
    assert extra.get()[1] == 1
    with pytest.raises(ValueError, match="does not match"):
        made.update([nd.array([0])], [nd.array([1])] * 2)


def test_unknown():
    with pytest.raises(ValueError, match=r"Cannot find metric acuracy.*'accuracy'"):
        metric.create("acuracy")
