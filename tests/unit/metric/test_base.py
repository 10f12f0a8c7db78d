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


class _LocalOnly(metric.EvalMetric):
    """As programs write metrics: `update` knows nothing of global figures, nor does `reset`."""

    def reset(self):
        self.num_inst = 0
        self.sum_metric = 0.0

    def update(self, labels, preds):
        self.sum_metric += 3.0
        self.num_inst += 2


class _OwnValue(_LocalOnly):
    def get(self):
        return ["a", "b"], [self.sum_metric, self.num_inst]


class _WholeOwn(metric.EvalMetric):
    """Keeps nothing that the base knows, and does not call its constructor."""

    def __init__(self):
        self.name = "mine"
        self.seen = 0

    def update(self, labels, preds):
        self.seen += 1

    def get(self):
        return self.name, self.seen


class _AccuracyOfItsOwn(metric.Accuracy):
    def update(self, labels, preds):
        self.sum_metric += 3.0
        self.num_inst += 2


@pytest.mark.parametrize(
    "made, expected",
    [
        (lambda: _LocalOnly("local"), [("local", 1.5)]),
        (lambda: _OwnValue("x"), [("a", 3.0), ("b", 2)]),
        (_WholeOwn, [("mine", 1)]),
        (_AccuracyOfItsOwn, [("accuracy", 1.5)]),
    ],
)
def test_metrics_without_global_figures_answer_with_their_own(made, expected):
    mine = made()
    mine.update([], [])
    assert mine.get_global_name_value() == expected
    assert metric.create([mine]).get_global_name_value() == expected


def test_a_metric_that_says_so_answers_from_global_figures():
    mine = metric.EvalMetric("mine", has_global_stats=True)
    mine.global_sum_metric, mine.global_num_inst = 6.0, 4
    assert mine.get_global() == ("mine", 1.5)
    assert math.isnan(mine.get()[1])
    assert "has_global_stats" not in mine.get_config()


def test_a_builtin_metric_with_a_reset_of_its_own_counts():
    class Mine(metric.Accuracy):
        reset = _LocalOnly.reset

    mine = Mine()
    mine.update([nd.array([1])], [nd.array([[0.1, 0.9]])])
    assert mine.get_global() == ("accuracy", 1.0)


def test_metrics_show_their_values():
    accuracy = metric.Accuracy()
    assert repr(accuracy) == "Accuracy(accuracy=nan)"
    accuracy.update(nd.array([1, 0]), nd.array([1, 1]))
    assert repr(accuracy) == "Accuracy(accuracy=0.5)"
    assert str(accuracy) == "EvalMetric: {'accuracy': 0.5}"
