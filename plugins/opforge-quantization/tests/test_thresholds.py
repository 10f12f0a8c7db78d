import numpy as np
import pytest

from opforge import nd
from opforge.contrib.quantization import (
    _get_optimal_threshold,
    _get_optimal_thresholds,
    _LayerHistogramCollector,
    _smooth_distribution,
    combine_histogram,
)


def collected(values, parts=1):
    collector = _LayerHistogramCollector(include_layer=["x"])
    for part in np.array_split(values, parts):
        collector.collect("x", nd.array(part))
    return collector.hist_dict


def test_thresholds_are_mxnet_s():
    """16384 normal numbers, of which one is 50; MXNet 1.9.1 computes the same."""
    values = np.random.RandomState(0).normal(size=16384)
    values[0] = 50
    for kind, given in (("int8", values), ("auto", np.maximum(values, 0))):
        (low, high) = _get_optimal_thresholds(collected(given), kind)["x"]
        assert low == (-high if kind == "int8" else 0)
        assert 3.3 < high < 3.9


def test_bins_of_batches_are_those_of_all_values():
    values = np.random.RandomState(1).uniform(-1, 1, 1000)
    values[-1] = 3
    once, often = collected(values)["x"], collected(values, 5)["x"]
    assert once[0].sum() == often[0].sum() == 1000
    assert len(once[0]) == 8001 and len(often[0]) % 2 == 1
    assert once[2:4] == often[2:4] and often[4] >= once[4]


def test_counts_of_smaller_values_are_added():
    old = (np.array([1, 0, 2]), np.array([-3.0, -1, 1, 3]), -2, 2, 3.0)
    found = combine_histogram(old, np.array([0.0, 2]), 0, 2, 2)
    assert found[0].tolist() == [1, 1, 3] and found[2:] == (-2, 2, 3.0)


def test_the_histogram_has_an_odd_number_of_bins():
    with pytest.raises(AssertionError, match="has 4 bins; expected an odd number"):
        _get_optimal_threshold((np.ones(4), np.arange(5), -1, 1, 1), "int8")


def test_smoothing():
    assert _smooth_distribution(np.array([0, 4, 0, 4]), 0.5).tolist() == [0.5, 3.5, 0.5, 3.5]
    with pytest.raises(ValueError, match="All entries are 0"):
        _smooth_distribution(np.zeros(3))
    with pytest.raises(AssertionError, match="3 bins are empty and 1 are not"):
        _smooth_distribution(np.array([0, 0, 0, 1]), 0.5)
