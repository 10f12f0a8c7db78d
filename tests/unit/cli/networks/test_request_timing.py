import threading

import pytest

from opforge.cli.networks.request_timing import time_clients, time_requests


def test_every_request_is_timed_and_at_least_one_is_made():
    made = []
    durations = time_requests(lambda: made.append(1), 0.01)
    assert len(durations) == len(made) > 1
    assert all(duration >= 0 for duration in durations) and sum(durations) >= 0.01
    assert len(time_requests(lambda: made.append(1), 0)) == 1


def test_clients_run_at_the_same_time():
    together = threading.Barrier(3)
    # Each request ends only when all clients have one.
    assert time_clients(lambda: together.wait(10), clients=3, seconds=0) > 0


def test_the_rate_counts_the_requests_of_all_clients():
    made = []
    rate = time_clients(lambda: made.append(1), clients=2, seconds=0.05)
    assert len(made) / 0.5 < rate


def test_an_error_of_a_client_is_raised():
    def fail():
        raise ValueError("wrong input")

    with pytest.raises(ValueError, match="wrong input"):
        time_clients(fail, clients=2, seconds=0.01)
