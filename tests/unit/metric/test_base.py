import math

import pytest

from opforge import metric, nd


def test_empty_and_str():
    accuracy = metric.Accuracy()
    assert math.isnan(accuracy.get()[1])
    assert math.isnan(accuracy.get_global()[1])
    accuracy.update(nd.array([1]), nd.array([[0.1, 0.9]]))
    assert str(accuracy) == "EvalMetric: {'accuracy': 1.0}"


def test_sums_go_on_until_reset():
    accuracy = metric.Accuracy()
    accuracy.update([nd.array([1])], [nd.array([[0.1, 0.9]])])
    accuracy.update([nd.array([0])], [nd.array([[0.1, 0.9]])])
    assert accuracy.get() == ("accuracy", 0.5)
    accuracy.reset_local()
    assert math.isnan(accuracy.get()[1])
    assert accuracy.get_global_name_value() == [("accuracy", 0.5)]
    accuracy.reset()
    assert math.isnan(accuracy.get_global()[1])


def test_update_dict_chooses():
    loss = metric.MSE(output_names=["out"], label_names=["y"])
    loss.update_dict(
        {"y": nd.array([1]), "z": nd.array([5])}, {"out": nd.array([3]), "other": nd.array([0])}
    )
    assert loss.get_name_value() == [("mse", 4.0)]


def test_config_makes_it_again():
    made = metric.TopKAccuracy(top_k=3, label_names=["y"])
    again = metric.create(made.get_config())
    assert (again.name, again.top_k, again.label_names) == ("top_k_accuracy_3", 3, ["y"])


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="Shape of labels 1 does not match shape of predictions 2"):
        metric.Accuracy().update([nd.ones((1,))], [nd.ones((1,))] * 2)
    with pytest.raises(ValueError, match=r"labels \(1,\) does not match"):
        metric.check_label_shapes(nd.ones((1,)), nd.ones((2,)), shape=True)


def test_register():
    @metric.register
    @metric.alias("mine")
    class Mine(metric.EvalMetric):
        pass

    assert isinstance(metric.create("mine", "x"), Mine)
    with pytest.raises(NotImplementedError, match="Mine must define update"):
        Mine("x").update([], [])
