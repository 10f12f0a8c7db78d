"""Samples: batches that grow until the clock can tell, and what is said of them."""

import pytest
from opforge_tools.benchmarks import sampling
from opforge_tools.benchmarks.sampling import Batches, summarise


class Clock:
    """Goes on only while something works or waits."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now

    def passing(self, seconds):
        """Return a function that takes so long."""

        def run():
            self.now += seconds

        return run


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(sampling, "time", clock)
    monkeypatch.setattr(sampling, "WARM_UP", 0)
    return clock


def test_the_summary_of_one_sample():
    summary = summarise([2.0])
    assert (summary.median, summary.lowest, summary.spread, summary.count) == (2.0, 2.0, 0.0, 1)


def test_one_outlier_moves_neither_median_nor_spread():
    quiet = summarise([1.0, 1.0, 1.0, 1.1, 1.1, 1.1, 1.2])
    noisy = summarise([1.0, 1.0, 1.0, 1.1, 1.1, 1.1, 50.0])
    assert quiet.median == noisy.median
    assert quiet.spread == noisy.spread
    assert noisy.as_dict()["lowest"] == 1.0


def test_short_work_is_done_often_and_counted_singly(clock):
    batches = Batches(clock.passing(1e-6), lambda: None)
    before = clock.now
    samples = batches.round(3 * sampling.BATCH)
    assert samples == pytest.approx([1e-6] * len(samples))
    per_batch = (clock.now - before) / len(samples)
    assert sampling.BATCH <= per_batch < 2.1 * sampling.BATCH, "a batch is long enough to be timed"


def test_long_work_is_sampled_once_at_least(clock):
    batches = Batches(clock.passing(2 * sampling.BATCH), lambda: None)
    assert batches.round(0) == pytest.approx([2 * sampling.BATCH])


def test_waiting_is_part_of_the_time(clock):
    batches = Batches(lambda: None, clock.passing(2 * sampling.BATCH))
    assert batches.round(0) == pytest.approx([2 * sampling.BATCH])


def test_errors_of_the_measured_function_propagate():
    with pytest.raises(ZeroDivisionError):
        Batches(lambda: 1 / 0, lambda: None)
