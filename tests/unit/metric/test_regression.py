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
