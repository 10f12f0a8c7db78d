"""Durations of requests: one after another, and by several clients at the same time."""

import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["time_clients", "time_requests"]


def time_requests(request: Callable[[], Any], seconds: float) -> list[float]:
    """Return the duration of each request of one client, at least one, in seconds."""
    durations: list[float] = []
    now = time.perf_counter()
    end = now + seconds
    while not durations or now < end:
        began = now
        request()
        now = time.perf_counter()
        durations.append(now - began)
    return durations


def time_clients(request: Callable[[], Any], clients: int, seconds: float) -> float:
    """Return the requests per second of clients that each send the next one after an answer.

    Raises
    ------
    BaseException
        A request raised it.
    """
    start = threading.Barrier(clients)
    rates: list[float] = []
    errors: list[BaseException] = []

    def client() -> None:
        try:
            start.wait()
            durations = time_requests(request, seconds)
            rates.append(len(durations) / sum(durations))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return sum(rates)
