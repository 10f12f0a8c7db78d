import pytest

from opforge import metric, nd

SCORES = nd.array([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.9, 0.06, 0.04]])


def test_accuracy():
    accuracy = metric.Accuracy()
    accuracy.update([nd.array([2, 0, 0, 0])], [SCORES])
    assert accuracy.get() == ("accuracy", 0.75)
    accuracy.reset()
    accuracy.update(nd.array([2, 0]), nd.array([2, 1]))  # class numbers
    assert accuracy.get()[1] == 0.5
    with pytest.raises(ValueError, match="does not match"):
        accuracy.update(nd.array([2]), SCORES)


def test_accuracy_along_another_axis():
    accuracy = metric.Accuracy(axis=0)
    accuracy.update(nd.array([1, 1]), nd.array([[0.2, 0.7], [0.8, 0.3]]))
    assert accuracy.get()[1] == 0.5


def test_accuracy_without_ignored_labels():
    accuracy = metric.create(**metric.Accuracy(ignore_label=-1).get_config())
    accuracy.update(nd.array([2, -1, 0, -1]), SCORES)
    assert (accuracy.get()[1], accuracy.num_inst) == (0.5, 2)
    assert "ignore_label" not in metric.Accuracy().get_config()  # MXNet's arguments


def test_top_k():
    top = metric.TopKAccuracy(top_k=2)
    top.update(nd.array([1, 2, 1, 2]), SCORES)
    assert top.get() == ("top_k_accuracy_2", 0.5)
    top.update(nd.array([1, 2]), nd.array([1, 1]))
    assert top.get()[1] == 0.5
    with pytest.raises(AssertionError, match="Please use Accuracy"):
        metric.TopKAccuracy()


def test_f1():
    batches = [
        (nd.array([1, 1, 0, 0]), nd.array([[0.1, 0.9], [0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])),
        (nd.array([1, 0]), nd.array([[0.1, 0.9], [0.9, 0.1]])),
    ]
    macro, micro = metric.F1(), metric.F1(average="micro")
    for label, pred in batches:
        macro.update(label, pred)
        micro.update(label, pred)
    assert macro.get() == ("f1", 0.75)  # mean of 1/2 and 1
    assert micro.get()[1] == pytest.approx(2 / 3)  # 2 hits, 1 false alarm, 1 miss
    micro.reset_local()
    assert micro.get_global()[1] == pytest.approx(2 / 3)
    micro.update(*batches[1])
    assert micro.get()[1] == 1
    assert micro.get_global()[1] == pytest.approx(3 / 4)


def test_f1_errors():
    with pytest.raises(ValueError, match="only supports binary"):
        metric.F1().update(nd.array([0, 1, 2]), nd.ones((3, 2)))
    with pytest.raises(ValueError, match="shape"):
        metric.F1().update(nd.array([0, 1]), nd.array([0, 1]))
