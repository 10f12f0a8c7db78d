import numpy as np

import opforge as mx

#: Of MXNet 1.9.1, for the classes 3 and 1, 4 draws and 5 classes.
EXPECTED = [0.49815515, 0.90517754]


def expected_draws(classes, num_sampled, range_max):
    return num_sampled * np.log((classes + 2) / (classes + 1)) / np.log(range_max + 1)


def test_arrays():
    drawn, true, sampled = mx.nd.contrib.rand_zipfian(mx.nd.array([3, 1]), 4, 5)
    assert (drawn.dtype, true.dtype, sampled.dtype) == (np.int64, np.float64, np.float64)
    np.testing.assert_allclose(true.asnumpy(), EXPECTED, rtol=1e-7)
    np.testing.assert_allclose(sampled.asnumpy(), expected_draws(drawn.asnumpy(), 4, 5))


def test_symbols():
    parts = mx.sym.contrib.rand_zipfian(mx.sym.var("a"), 4, 5)
    drawn, true, sampled = mx.sym.Group(list(parts)).eval(a=mx.nd.array([3, 1], dtype="int32"))
    np.testing.assert_allclose(true.asnumpy(), EXPECTED, rtol=1e-7)
    np.testing.assert_allclose(sampled.asnumpy(), expected_draws(drawn.asnumpy(), 4, 5))


def test_classes_are_drawn_as_often_as_expected():
    mx.random.seed(1)
    drawn = mx.nd.contrib.rand_zipfian(mx.nd.array([0]), 20000, 10)[0].asnumpy()
    counts = np.bincount(drawn, minlength=10)
    np.testing.assert_allclose(counts, expected_draws(np.arange(10), 20000, 10), rtol=0.15)


def test_the_context_is_that_of_the_draws():
    parts = mx.nd.contrib.rand_zipfian(mx.nd.array([0]), 2, 10, ctx=mx.cpu(1))
    assert [part.context for part in parts] == [mx.cpu(1)] * 3
