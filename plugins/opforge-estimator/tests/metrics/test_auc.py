import numpy as np
import pytest

from opforge import metric, nd


def roc_area(labels, scores):
    """Return the fraction of pairs of a positive and a negative sample in the right order."""
    positive, negative = scores[labels == 1], scores[labels != 1]
    above = np.sign(positive[:, None] - negative)
    return ((above + 1) / 2).mean()


def average_precision(labels, scores):
    """Return the mean precision of the samples with at least the score of a positive one."""
    return np.mean([(labels[scores >= s] == 1).mean() for s in scores[labels == 1]])


REFERENCES = {"roc": roc_area, "pr": average_precision}


def filled(labels, scores, **kwargs):
    auc = metric.create("auc", **kwargs)
    for part in np.array_split(np.arange(len(labels)), 3):
        auc.update(nd.array(labels[part]), nd.array(scores[part], dtype="float64"))
    return auc


@pytest.mark.parametrize("curve", REFERENCES)
@pytest.mark.parametrize("levels", [3, 1000])
def test_areas_follow_their_definitions(curve, levels):
    random = np.random.default_rng(1)
    labels = random.integers(0, 2, 200)
    scores = random.integers(0, levels, 200) / levels + 0.2 * labels
    found = filled(labels, scores, curve=curve).get()[1]
    assert found == pytest.approx(REFERENCES[curve](labels, scores))
    both = np.stack([1 - scores, scores], axis=1)
    assert filled(labels, both, curve=curve).get()[1] == found


@pytest.mark.parametrize("curve", REFERENCES)
def test_several_classes_are_compared_with_all_others(curve):
    random = np.random.default_rng(2)
    labels, scores = random.integers(0, 3, 60), random.uniform(size=(60, 3))
    each = [REFERENCES[curve](labels == index, scores[:, index]) for index in range(3)]
    assert filled(labels, scores, curve=curve).get()[1] == pytest.approx(np.mean(each))


def test_one_class_has_no_area():
    name, value = filled(np.ones(6), np.arange(6)).get()
    assert name == "auc"
    assert np.isnan(value)
    assert np.isnan(metric.AUC().get()[1])
    auc = filled(np.array([0, 1]), np.array([0, 1]))
    auc.reset()
    assert np.isnan(auc.get()[1])


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([0], [[[0.1]]], r"scores of shape \(1, 1, 1\), expected \(batch,\)"),
        ([0, 2], [0.1, 0.2], "got label 2, but scores of 2 classes"),
        ([0, 1], [0.1, np.nan], "a score is nan"),
        ([0, 0.5], [0.1, 0.2], r"labels contain 0\.5"),
    ],
)
def test_misfits_are_errors(labels, scores, message):
    with pytest.raises(ValueError, match=message):
        metric.AUC().update(nd.array(labels), nd.array(scores))


def test_settings():
    assert metric.create(**metric.AUC(curve="pr", name="ap").get_config())._curve == "pr"
    assert metric.AUC(curve="pr").name == "average_precision"
    with pytest.raises(ValueError, match="expected 'roc' or 'pr'"):
        metric.AUC(curve="lift")
