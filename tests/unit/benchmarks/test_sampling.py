"""Samples: batches that grow until the clock can tell, and what is said of them."""

import time

import pytest

from opforge.benchmarks import sampling
from opforge.benchmarks.sampling import Batches, summarise


def test_the_summary_of_one_sample():
    summary = summarise([2.0])
    assert (summary.median, summary.lowest, summary.spread, summary.count) == (2.0, 2.0, 0.0, 1)


def test_one_outlier_moves_neither_median_nor_spread():
    quiet = summarise([1.0, 1.0, 1.0, 1.1, 1.1, 1.1, 1.2])
    noisy = summarise([1.0, 1.0, 1.0, 1.1, 1.1, 1.1, 50.0])
    assert quiet.median == noisy.median
    assert quiet.spread == noisy.spread
    assert noisy.as_dict()["lowest"] == 1.0


def test_short_work_is_done_often_and_counted_singly(monkeypatch):
    monkeypatch.setattr(sampling, "WARM_UP", 0)
    calls = []
    batches = Batches(lambda: calls.append(time.perf_counter()), lambda: None)
    assert len(calls) > 100, "one call is too short for the clock"
    samples = batches.round(0.005)
    assert all(0 < seconds < sampling.BATCH for seconds in samples)


def test_long_work_is_sampled_once_at_least(monkeypatch):
    monkeypatch.setattr(sampling, "WARM_UP", 0)
    batches = Batches(lambda: time.sleep(2 * sampling.BATCH), lambda: None)
    (sample,) = batches.round(0)
    assert sample >= 2 * sampling.BATCH


def test_waiting_is_part_of_the_time(monkeypatch):
    monkeypatch.setattr(sampling, "WARM_UP", 0)
    batches = Batches(lambda: None, lambda: time.sleep(2 * sampling.BATCH))
    (sample,) = batches.round(0)
    assert sample >= 2 * sampling.BATCH


def test_what_the_work_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        Batches(lambda: 1 / 0, lambda: None)
