import numpy as np
import pytest

from opforge import nd, sym
from opforge.gluon import nn


def histogram(kind, bins=401):
    values = getattr(np.random.RandomState(0), kind)(size=5000)
    limit = np.abs(values).max()
    return map(nd.array, np.histogram(values, bins=bins, range=(-limit, limit)))


@pytest.mark.parametrize(
    ("kind", "bins", "threshold", "divergence"),
    [
        ("normal", 255, 3.1380289, 0.015236047),
        ("normal", 127, 3.7826993, 0.018136945),
        ("normal", 128, 2.8536153, 0.019239932),
        ("normal", 20, 3.1380289, 0.027023813),
    ],
)
def test_thresholds_are_mxnet_s(kind, bins, threshold, divergence):
    found = nd.contrib.calibrate_entropy(*histogram(kind), num_quantized_bins=bins)
    assert [a.shape for a in found] == [(1,), (1,)]
    np.testing.assert_allclose([a.asscalar() for a in found], [threshold, divergence], rtol=1e-5)


def test_default_is_255_quantized_bins():
    hist, edges = histogram("normal")
    default = nd.contrib.calibrate_entropy(hist, edges)
    given = nd.contrib.calibrate_entropy(hist, edges, num_quantized_bins=255)
    assert [a.asscalar() for a in default] == [a.asscalar() for a in given]


def test_float64():
    hist, edges = (a.astype("float64") for a in histogram("normal"))
    threshold, divergence = nd.contrib.calibrate_entropy(hist, edges, num_quantized_bins=255)
    assert (threshold.dtype, divergence.dtype) == (np.float64, np.float64)
    np.testing.assert_allclose(divergence.asscalar(), 0.015236047, rtol=1e-3)


def test_a_histogram_without_counts_has_the_largest_divergence():
    threshold, divergence = nd.contrib.calibrate_entropy(
        nd.zeros((9,)), nd.arange(-4.5, 5.5), num_quantized_bins=3
    )
    assert (threshold.asscalar(), divergence.asscalar()) == (1.5, np.finfo(np.float32).max)


@pytest.mark.parametrize(
    ("bins", "edges", "message"),
    [
        (9, 9, r"'hist_edges' has shape \(9,\); expected \(10,\) because 'hist' has shape \(9,\)"),
        (8, 9, r"'hist' has shape \(8,\); expected an odd number of bins"),
        (1, 2, "at least num_quantized_bins=3"),
    ],
)
def test_misfits(bins, edges, message):
    with pytest.raises(ValueError, match=message):
        nd.contrib.calibrate_entropy(nd.ones((bins,)), nd.arange(edges), num_quantized_bins=3)


def test_counts_are_not_negative():
    with pytest.raises(RuntimeError, match=r"'hist' has the count -1; expected counts of at least"):
        nd.contrib.calibrate_entropy(nd.array([1, 2, -1, 2, 1]), nd.arange(6), num_quantized_bins=3)


def test_not_a_number():
    found = nd.contrib.calibrate_entropy(
        nd.array([1, 2, np.nan, 2, 1]), nd.arange(6), num_quantized_bins=3
    )
    assert np.isnan([a.asscalar() for a in found]).all()


def test_symbols_and_blocks():
    y = sym.contrib.calibrate_entropy(sym.var("hist"), num_quantized_bins=3, name="c")
    assert y.list_arguments() == ["hist", "c_hist_edges"]
    assert y.list_outputs() == ["c_threshold", "c_divergence"]
    assert y.infer_shape(hist=(9,)) == ([(9,), (10,)], [(1,), (1,)], [])
    block = nn.HybridLambda(lambda F, *inputs: F.contrib.calibrate_entropy(*inputs)[0])
    block.hybridize()
    np.testing.assert_allclose(block(*histogram("normal")).asnumpy(), [3.1380289], rtol=1e-6)
