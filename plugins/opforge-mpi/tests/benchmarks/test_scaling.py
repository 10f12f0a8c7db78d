"""The model of many ranks: limits that are known without it."""

from dataclasses import replace

import pytest
from opforge_mpi.benchmarks.scaling import Job, Network, ring, sharded, simulate, tree

NETWORK = Network(latency=1e-5, per_byte=1e-9, adding_per_byte=1e-10)
JOB = Job(forward=0.01, backward=0.02, update=0.001, nbytes=8 * 2**20)


@pytest.mark.parametrize("sums", [ring, tree])
def test_one_rank_sends_nothing(sums):
    assert sums(NETWORK, 1, 2**20) == 0
    assert simulate(JOB, NETWORK, 1, sums) == pytest.approx(JOB.alone)


def test_a_ring_is_the_cheapest_for_bytes_and_a_tree_for_latency():
    bytes_alone = Network(latency=0, per_byte=1e-9)
    latency_alone = Network(latency=1e-5, per_byte=0)
    for ranks in (4, 64, 10_000):
        assert ring(bytes_alone, ranks, 2**20) < tree(bytes_alone, ranks, 2**20)
        assert ring(latency_alone, ranks, 2**20) > tree(latency_alone, ranks, 2**20)
    assert ring(bytes_alone, 10_000, 2**20) == pytest.approx(2 * 2**20 * 1e-9, rel=1e-3)


def test_a_fast_network_hides_all_but_the_last_bucket():
    each = ring(NETWORK, 2, JOB.bucket_bytes)
    assert each < JOB.backward / 8
    assert simulate(JOB, NETWORK, 2) == pytest.approx(JOB.alone + each)


def test_a_slow_network_hides_messages_that_fit_into_backward():
    slow = Network(latency=0, per_byte=1e-7)
    everything = ring(slow, 2, JOB.nbytes)
    assert everything > JOB.backward
    first = JOB.forward + JOB.backward / 8
    assert simulate(JOB, slow, 2) == pytest.approx(first + everything + JOB.update)


def test_stragglers_cost_more_the_more_there_are():
    shaky = replace(JOB, jitter=0.02)
    times = [simulate(shaky, Network(0, 0), ranks) for ranks in (1, 2, 16, 1000)]
    assert times == sorted(times)
    passes = JOB.forward + JOB.backward
    # The expected maximum of 1,000 standard normal samples is 3.24.
    assert times[-1] == pytest.approx(JOB.alone + 3.24 * 0.02 * passes, rel=5e-3)
    assert times == [simulate(shaky, Network(0, 0), ranks) for ranks in (1, 2, 16, 1000)]


def test_sharded_updates_pay_off_only_if_gathering_is_cheaper_than_updating():
    assert sharded(JOB, Network(0, 0), 4) == pytest.approx(JOB.alone - JOB.update * 3 / 4)
    assert sharded(JOB, NETWORK, 16) > simulate(JOB, NETWORK, 16)
