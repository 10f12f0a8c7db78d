import logging
import pickle

import numpy as np
import pytest

import opforge as mx
from opforge import model, nd, sym

pytestmark = [pytest.mark.plugins, pytest.mark.filterwarnings("ignore:model.FeedForward")]


def net():
    body = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    return sym.SoftmaxOutput(body, name="softmax")


def samples(n=60):
    label = np.arange(n) % 3
    return np.eye(3)[label] + np.random.normal(0, 0.1, (n, 3)), label


def trained(**settings):
    data, label = samples()
    settings = {"num_epoch": 10, "learning_rate": 0.5, "numpy_batch_size": 10, **settings}
    made = model.FeedForward(net(), **settings)
    made.fit(data, label, eval_data=samples(30))
    return made


def test_it_is_deprecated():
    with pytest.warns(DeprecationWarning, match="mod.Module"):
        model.FeedForward(net())


def test_fit_predict_and_score(caplog):
    caplog.set_level(logging.INFO)
    made = trained()
    assert any(text.startswith("Epoch[9] Validation-accuracy=") for text in caplog.messages)
    data, label = samples(25)
    predicted = made.predict(data)
    assert predicted.shape == (25, 3)
    assert (predicted.argmax(1) == label).mean() > 0.9
    iterator = mx.io.NDArrayIter(data, label, 10)
    assert made.score(iterator) > 0.9
    outputs, back, labels = made.predict(iterator, return_data=True)
    assert np.allclose(outputs, predicted, atol=1e-6)
    assert np.allclose(back, data, atol=1e-6)
    assert labels.tolist() == label.tolist()
    assert made.predict(iterator, num_batch=1).shape == (10, 3)
    unlabelled = mx.io.NDArrayIter(data, batch_size=5)
    assert np.allclose(made.predict(unlabelled), predicted, atol=1e-6)


def test_files_and_pickles(tmp_path):
    made = trained(num_epoch=2)
    data, _ = samples(10)
    expected = made.predict(data)
    made.save(str(tmp_path / "net"))
    loaded = model.FeedForward.load(str(tmp_path / "net"), 2)
    assert loaded.begin_epoch == 2
    assert np.array_equal(loaded.predict(data), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(made)).predict(data), expected)


def test_epoch_size_limits_batches():
    counts = []
    made = model.FeedForward.create(
        net(),
        *samples(40),
        num_epoch=3,
        epoch_size=7,
        batch_end_callback=lambda param: counts.append(param.nbatch),
        numpy_batch_size=10,
    )
    assert counts == [*range(1, 8)] * 3
    assert sorted(made.arg_params) == ["fc_bias", "fc_weight"]


def test_labels_of_another_shape_are_left_out_of_predictions():
    """CSVIter describes labels of one number if it has none."""
    network = sym.FullyConnected(sym.var("data"), num_hidden=6, name="fc")
    network = sym.LogisticRegressionOutput(network, name="softmax")
    values = {"fc_weight": nd.ones((6, 3)), "fc_bias": nd.zeros(6)}
    made = model.FeedForward(network, arg_params=values, aux_params={})
    np.testing.assert_allclose(made.predict(np.zeros((4, 3))), np.full((4, 6), 0.5))


def test_extra_parameters():
    given = {"fc_weight": mx.nd.ones((3, 3)), "fc_bias": mx.nd.zeros((3,)), "x": mx.nd.ones((1,))}
    made = model.FeedForward(net(), arg_params=given, aux_params={}, allow_extra_params=True)
    assert np.allclose(made.predict(samples(3)[0]), 1 / 3)


def test_buckets():
    made = model.FeedForward(lambda key: net(), num_epoch=1, numpy_batch_size=10)
    iterator = mx.io.NDArrayIter(*samples(20), batch_size=10)
    iterator.default_bucket_key = 3
    batches = iterator.next

    def keyed():
        batch = batches()
        batch.bucket_key = 3
        return batch

    iterator.next = keyed
    made.fit(iterator)
    assert made.symbol.list_outputs() == ["softmax_output"]
    assert made.predict(samples(4)[0]).shape == (4, 3)


def test_mistakes_are_named():
    made = model.FeedForward(net(), num_epoch=1)
    data, label = samples(6)
    for arguments, error, message in (
        ((data,), ValueError, "y must be specified"),
        ((data, [1]), TypeError, "got list"),
        ((data, label[:3]), ValueError, "X has 6 samples, y has 3"),
        ((data, data), ValueError, r"got \(6, 3\)"),
        (([1],), TypeError, "got list"),
        ((data, label, 3), TypeError, "pair of data and labels"),
    ):
        with pytest.raises(error, match=message):
            made.fit(*arguments)
    with pytest.raises(AssertionError, match="call fit"):
        made.predict(data)
    with pytest.raises(ValueError, match="duplicated"):
        model.FeedForward(sym.var("x") + sym.var("x"))
