import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd, sym
from opforge.gluon import nn


def frequencies(samples, classes):
    return np.bincount(samples.asnumpy().ravel(), minlength=classes) / samples.size


def test_samples_have_log_uniform_frequencies():
    mx.random.seed(0)
    samples, of_true, of_samples = nd.contrib.rand_zipfian(nd.array([0, 3]), 100_000, 20)
    assert [a.dtype for a in (samples, of_true, of_samples)] == [np.int64, np.float64, np.float64]
    classes = np.arange(20)
    expected = np.log((classes + 2) / (classes + 1)) / np.log(21)
    np.testing.assert_allclose(frequencies(samples, 20), expected, atol=5e-3)
    np.testing.assert_allclose(of_true.asnumpy(), expected[[0, 3]] * 100_000)
    np.testing.assert_allclose(of_samples.asnumpy(), expected[samples.asnumpy()] * 100_000)


def test_samples_are_repeatable_and_on_the_context():
    true_classes = nd.array([[1, 2]], dtype="int32")
    mx.random.seed(3)
    first = nd.contrib.rand_zipfian(true_classes, 5, 100, ctx=mx.cpu(0))
    mx.random.seed(3)
    second = nd.contrib.rand_zipfian(true_classes, 5, 100)
    assert first[1].shape == (1, 2)
    for one, other in zip(first, second, strict=True):
        assert one.context == mx.cpu(0)
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_symbols_and_blocks():
    outputs = sym.Group(list(sym.contrib.rand_zipfian(sym.var("t"), 4, 5)))
    assert outputs.infer_shape(t=(3,))[1] == [(4,), (3,), (4,)]
    assert outputs.infer_type(t="int32")[1] == [np.int64, np.float64, np.float64]
    samples, of_true, of_samples = outputs.eval(t=nd.array([3]))
    np.testing.assert_allclose(of_true.asnumpy(), [0.49815515], rtol=1e-7)
    assert of_samples.shape == samples.shape == (4,)
    block = nn.HybridLambda(lambda F, t: F.contrib.rand_zipfian(t, 4, 5)[1])
    block.hybridize()
    np.testing.assert_allclose(block(nd.array([3])).asnumpy(), [0.49815515], rtol=1e-7)


@pytest.mark.parametrize("name", ["num_sampled", "range_max"])
@pytest.mark.parametrize("rand_zipfian", [nd.contrib.rand_zipfian, sym.contrib.rand_zipfian])
def test_numbers_are_positive(name, rand_zipfian):
    true_classes = sym.var("t") if rand_zipfian is sym.contrib.rand_zipfian else nd.array([3])
    with pytest.raises(ValueError, match=f"{name} is 0; expected at least 1"):
        rand_zipfian(true_classes, **{"num_sampled": 4, "range_max": 5, name: 0})


def test_symbols_reject_arrays():
    with pytest.raises(TypeError, match=r"expected a Symbol\. Use nd"):
        sym.contrib.rand_zipfian(nd.array([3]), 4, 5)


def test_unique_samples():
    mx.random.seed(0)
    classes, trials = nd._internal._sample_unique_zipfian(793472, shape=(4, 8192))
    assert (classes.dtype, trials.dtype) == (np.int64, np.int64)
    assert [np.unique(row.asnumpy()).size for row in classes] == [8192] * 4
    assert 0 <= classes.min().asscalar() <= classes.max().asscalar() < 793472
    # MXNet 1.9.1 needs about 16100 trials.
    np.testing.assert_allclose(trials.asnumpy(), 16100, rtol=0.04)


def test_frequencies_of_unique_samples_are_mxnet_s():
    mx.random.seed(0)
    classes, trials = nd._internal._sample_unique_zipfian(10, shape=(50_000, 1))
    assert set(trials.asnumpy()) == {1}
    edges = np.log([1, *np.arange(1.5, 10), 10]) / np.log(10)
    np.testing.assert_allclose(frequencies(classes, 10), np.diff(edges), atol=6e-3)


def test_all_classes():
    classes, trials = nd._internal._sample_unique_zipfian(3, shape=(5, 3))
    assert np.sort(classes.asnumpy()).tolist() == [[0, 1, 2]] * 5
    assert (trials.asnumpy() >= 3).all()


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
def test_no_samples(shape):
    classes, trials = nd._internal._sample_unique_zipfian(5, shape=shape)
    assert (classes.shape, trials.shape) == (shape, shape[:1])
    assert trials.asnumpy().tolist() == [0] * shape[0]


@pytest.mark.parametrize("shape", [(2, 6), (6,), (1, 2, 3)])
def test_shapes_of_unique_samples(shape):
    with pytest.raises(ValueError, match=r"expected \(rows, n\) with n of at most 5"):
        nd._internal._sample_unique_zipfian(5, shape=shape)


def test_unique_samples_of_symbols():
    y = sym._internal._sample_unique_zipfian(range_max=5, shape=(2, 3), name="z")
    assert y.list_outputs() == ["z_output0", "z_output1"]
    assert y.infer_shape() == ([], [(2, 3), (2,)], [])
    with autograd.record():
        classes, _ = y.eval()
    assert [np.unique(row.asnumpy()).size for row in classes] == [3, 3]
