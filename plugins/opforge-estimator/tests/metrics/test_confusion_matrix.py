import numpy as np
import pytest

from opforge import metric, nd


def batches(*, n_classes=4, seed=0):
    """Return batches of labels and predicted classes; class 2 is never predicted."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, n_classes, (3, 50))
    predictions = np.where(random.uniform(size=(3, 50)) < 0.6, labels, 0)
    return labels, np.where(predictions == 2, 1, predictions)


def filled(labels, predictions, **kwargs):
    confusion = metric.create("confusionmatrix", **kwargs)
    for label, prediction in zip(labels, predictions, strict=True):
        confusion.update([nd.array(label)], [nd.array(prediction)])
    return confusion


def test_counts():
    labels, predictions = batches()
    confusion = filled(labels, predictions)
    expected = [
        [((labels == actual) & (predictions == predicted)).sum() for predicted in range(4)]
        for actual in range(4)
    ]
    np.testing.assert_array_equal(confusion.matrix, expected)
    recalls = [(predictions[labels == index] == index).mean() for index in range(4)]
    assert confusion.get() == ("balanced_accuracy", pytest.approx(np.mean(recalls)))


def test_report():
    labels, predictions = batches()
    rows = filled(labels, predictions).report().to_dict()
    scores, support = [], []
    for index in range(4):
        predicted, actual = predictions == index, labels == index
        precision = actual[predicted].mean() if predicted.any() else 0
        recall = predicted[actual].mean()
        f1 = 2 * precision * recall / (precision + recall) if recall else 0
        scores.append([precision, recall, f1])
        support.append(actual.sum())
        assert list(rows[str(index)].values()) == pytest.approx([*scores[-1], support[-1]])
    assert list(rows["mean"].values()) == pytest.approx([*np.mean(scores, axis=0), labels.size])
    weighted = np.average(scores, axis=0, weights=support)
    assert list(rows["weighted"].values()) == pytest.approx([*weighted, labels.size])


def test_scores_have_an_axis_of_classes():
    labels, predictions = batches()
    scores = np.eye(4)[predictions]
    np.testing.assert_array_equal(filled(labels, scores).matrix, filled(labels, predictions).matrix)
    images = np.moveaxis(scores.reshape(3, 5, 10, 4), 3, 1)
    confusion = metric.ConfusionMatrix()
    confusion.update(nd.array(labels.reshape(3, 5, 10)), nd.array(images))
    np.testing.assert_array_equal(confusion.matrix, filled(labels, predictions).matrix)


def test_ignored_labels_are_not_counted():
    confusion = metric.ConfusionMatrix(ignore_label=-1)
    confusion.update(nd.array([0, 1, -1]), nd.array([0, 1, 1]))
    assert confusion.matrix.tolist() == [[1, 0], [0, 1]]
    assert confusion.get()[1] == 1


def test_names_fix_the_number_of_classes():
    confusion = metric.ConfusionMatrix(class_names=["a", "b", "c"])
    confusion.update(nd.array([0, 1]), nd.array([0, 1]))
    assert confusion.matrix.shape == (3, 3)
    with pytest.raises(ValueError, match="class 3 has no name, got 3 class_names"):
        confusion.update(nd.array([3]), nd.array([0]))
    assert metric.create(**confusion.get_config()).class_names == ["a", "b", "c"]


def test_a_reset_removes_the_counts():
    confusion = metric.ConfusionMatrix()
    assert np.isnan(confusion.get()[1])
    confusion.update(nd.array([0, 1]), nd.array([0, 1]))
    confusion.reset()
    assert confusion.matrix.size == 0
    assert np.isnan(confusion.get()[1])


@pytest.mark.parametrize(
    ("labels", "predictions", "message"),
    [
        ([0.5], [0], r"labels contain 0\.5, expected class indices"),
        ([0], [-1], "predictions contain -1"),
        ([np.nan], [0], "labels contain nan"),
        ([0, 1, 1], [0, 1], "does not match shape of predictions"),
    ],
)
def test_misfits_are_errors(labels, predictions, message):
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(ValueError, match=message),
    ):
        metric.ConfusionMatrix().update(nd.array(labels), nd.array(predictions))


def test_tables_and_diagrams():
    pandas = pytest.importorskip("pandas")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    confusion = metric.ConfusionMatrix(class_names=["<a>", "b"])
    confusion.update(nd.array([0, 0, 1]), nd.array([0, 1, 1]))
    frame = confusion.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc["<a>", "b"] == 1
    assert confusion.report().to_pandas().loc["b", "support"] == 1
    html = confusion.report()._repr_html_()
    assert "<th>&lt;a&gt;</th><td>1.000</td><td>0.500</td>" in html
    (diagram, _) = confusion.plot(normalize=True).axes
    texts = [text.get_text() for text in diagram.texts]
    assert texts == ["0.5", "0.5", "0", "1"]
    pyplot.close("all")


@pytest.mark.parametrize(("names", "rotation"), [(["0", "1"], 0), (["bicycle", "car"], 45)])
def test_long_names_are_rotated(names, rotation):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    diagram = metric.ConfusionMatrix(class_names=names).plot().axes[0]
    assert [label.get_rotation() for label in diagram.get_xticklabels()] == [rotation] * 2
    pyplot.close("all")
