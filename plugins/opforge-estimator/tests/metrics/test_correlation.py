import numpy as np
import pytest

from opforge import metric, nd


def coefficient(labels, preds):
    """Return the correlation of the one-hot encoded labels and predictions."""
    x, y = (np.eye(4)[np.asarray(indices, int)] for indices in (labels, preds))
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    return (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())


def batches(n_classes, seed=0, count=4):
    random = np.random.default_rng(seed)
    return [
        (random.integers(0, n_classes, 9), random.uniform(size=(9, n_classes)))
        for _ in range(count)
    ]


def update(m, labels, scores):
    m.update(nd.array(labels), nd.array(scores))


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_mcc(average):
    m = metric.create("mcc", average=average)
    expected, seen = [], ([], [])
    for labels, scores in batches(2):
        update(m, labels, scores)
        expected.append(coefficient(labels, scores.argmax(axis=1)))
        seen[0].extend(labels)
        seen[1].extend(scores.argmax(axis=1))
        value = np.mean(expected) if average == "macro" else coefficient(*seen)
        assert m.get() == ("mcc", pytest.approx(value))
    assert m.num_inst == (4 if average == "macro" else 36)
    assert metric.create(**m.get_config())._average == average


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_mcc_counts_arrays_of_an_update_together_and_since_each_reset(average):
    first, second, third, fourth = (
        (nd.array(labels), nd.array(scores)) for labels, scores in batches(2)
    )
    parts, whole = (metric.MCC(average=average) for _ in range(2))
    for m in (parts, whole):
        m.update(*first)
        m.reset_local()
    parts.update([second[0], third[0]], [second[1], third[1]])
    whole.update(nd.concat(second[0], third[0], dim=0), nd.concat(second[1], third[1], dim=0))
    assert parts.get() == whole.get()
    assert parts.get_global() == whole.get_global() != parts.get()
    parts.reset()
    parts.update(*fourth)
    assert parts.get() == parts.get_global()


def test_mcc_of_a_single_class_is_0():
    m = metric.MCC()
    assert np.isnan(m.get()[1])
    update(m, [1, 1], [[0, 1], [0, 1]])
    assert m.get() == ("mcc", 0.0)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_pcc(n_classes):
    m = metric.create("pcc")
    seen = [], []
    for labels, scores in batches(n_classes):
        update(m, labels, scores)
        seen[0].extend(labels)
        seen[1].extend(scores.argmax(axis=1))
        assert m.get() == ("pcc", pytest.approx(coefficient(*seen)))
    assert m.num_inst == 4
    everything = m.get()[1]
    m.reset_local()
    labels, scores = batches(n_classes)[0]
    m.update(nd.array(labels), nd.array(scores.argmax(axis=1)))  # class indices
    assert m.get()[1] == pytest.approx(coefficient(labels, scores.argmax(axis=1)))
    assert m.get_global()[1] != m.get()[1] != everything


def test_pcc_grows_with_the_classes_and_is_nan_for_a_single_one():
    m = metric.PCC()
    m.update(nd.array([1, 1]), nd.array([1, 1]))
    assert np.isnan(m.get()[1])
    m.update(nd.array([0, 3]), nd.array([0, 3]))
    assert m.get() == ("pcc", 1.0)


@pytest.mark.parametrize(
    ("name", "labels", "preds", "message"),
    [
        ("mcc", [0, 1, 2], [[0, 1], [0, 1], [0, 1]], "only supports binary"),
        ("mcc", [0, 1], [0, 1], r"scores of shape \(batch, 2\), got \(2,\)"),
        ("mcc", [0], [[0, 1], [0, 1]], "Shape of labels 1 does not match"),
        ("pcc", [0], [[0, 1], [0, 1]], "Shape of labels 1 does not match"),
        ("pcc", [0.5, 1], [[0, 1], [0, 1]], r"labels contain 0\.5"),
    ],
)
def test_misfits_are_errors(name, labels, preds, message):
    with pytest.raises(ValueError, match=message):
        metric.create(name).update([nd.array(labels)], [nd.array(preds)])
