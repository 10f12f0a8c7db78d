import numpy as np
import pytest

import opforge as mx
from opforge import gluon, nd
from opforge.gluon.contrib.estimator import Estimator

X = np.arange(10.0).reshape(5, 2)


def doubling(context=None, outputs=1):
    def compute(F, x):
        return 2 * x if outputs == 1 else [2 * x, x.sum(axis=1)]

    net = gluon.nn.HybridLambda(compute)
    trainer = gluon.Trainer(net, "sgd")
    return Estimator(net, gluon.loss.L2Loss(), trainer=trainer, context=context)


def test_arrays():
    for data in (X, nd.array(X), X.tolist()):
        result = doubling().predict(data, batch_size=2)
        assert isinstance(result, nd.NDArray)
        np.testing.assert_array_equal(result.asnumpy(), 2 * X)


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    result = doubling().predict(pandas.DataFrame(X, index=[5, 4, 3, 2, 1]))
    np.testing.assert_array_equal(result.asnumpy(), 2 * X)


@pytest.mark.parametrize("parts", [1, 2])
def test_loaders_with_and_without_labels(parts):
    data = gluon.data.ArrayDataset(*[nd.array(X), nd.arange(5)][:parts])
    for given in (data, gluon.data.DataLoader(data, batch_size=3)):
        np.testing.assert_array_equal(doubling().predict(given).asnumpy(), 2 * X)


def test_several_outputs():
    first, second = doubling(outputs=2).predict(X, batch_size=3)
    np.testing.assert_array_equal(first.asnumpy(), 2 * X)
    np.testing.assert_array_equal(second.asnumpy(), X.sum(axis=1))


def test_several_contexts():
    result = doubling([mx.cpu(0), mx.cpu(1)]).predict(X, batch_size=3)
    np.testing.assert_array_equal(result.asnumpy(), 2 * X)


def test_no_sample_and_other_types():
    with pytest.raises(ValueError, match="predict: the data have no sample"):
        doubling().predict(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="predict: data is int, expected a"):
        doubling().predict(3)
