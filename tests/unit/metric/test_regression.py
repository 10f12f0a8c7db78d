import numpy as np
import pytest

from opforge import metric, nd

LABEL, PRED = np.array([1.0, 2, 3]), np.array([[2.0], [2], [5]])


@pytest.mark.parametrize(
    ("name", "value"), [("mae", 1.0), ("mse", 5 / 3), ("rmse", (5 / 3) ** 0.5)]
)
def test_errors(name, value):
    made = metric.create(name)
    made.update(nd.array(LABEL), nd.array(PRED))
    made.update(nd.array(LABEL), nd.array(LABEL))
    assert made.get() == (name, pytest.approx(value / 2))


def test_correlation():
    made = metric.create("pearsonr")
    made.update(nd.array(LABEL), nd.array(PRED))
    assert made.get()[1] == pytest.approx(np.corrcoef(LABEL, PRED.ravel())[0, 1])


def test_correlation_of_all_samples():
    random = np.random.default_rng(0)
    labels = random.normal(loc=1e4, size=(5, 20))
    preds = labels + random.normal(size=(5, 20))
    micro = metric.PearsonCorrelation(average="micro")
    assert np.isnan(micro.get()[1])
    for label, pred in zip(labels, preds, strict=True):
        micro.update(nd.array(label, dtype="float64"), nd.array(pred, dtype="float64"))
    expected = np.corrcoef(labels.ravel(), preds.ravel())[0, 1]
    assert micro.get() == ("pearsonr", pytest.approx(expected))
    micro.reset_local()
    micro.update(nd.array([1, 2]), nd.array([2, 1]))
    assert micro.get()[1] == pytest.approx(-1)
    assert micro.get_global()[1] == pytest.approx(
        np.corrcoef([*labels.ravel(), 1, 2], [*preds.ravel(), 2, 1])[0, 1]
    )
    micro.reset()
    assert np.isnan(micro.get_global()[1])
    assert metric.create(**micro.get_config()).average == "micro"


def test_correlation_errors():
    with pytest.raises(ValueError, match="average='mean', expected 'macro' or 'micro'"):
        metric.PearsonCorrelation(average="mean")
    with pytest.raises(ValueError, match="does not match"):
        metric.PearsonCorrelation().update([nd.ones(3)], [nd.ones(2)])
