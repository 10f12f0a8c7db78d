"""Threads that predict with one network share its weights, and requests leave nothing behind.

With ``--stress 10`` a network answers 100,000 requests.
"""

import gc
import threading

import numpy as np
import pytest

from opforge import memory_stats, nd, random
from opforge.gluon import nn

from .counting import HAS_MALLINFO, given_by_malloc, resident

pytestmark = pytest.mark.plugins

CLIENTS = 4
REQUESTS = 10_000
#: Additional bytes of the C library per process, whose count includes its threads' caches.
HANDED_OUT = 1 << 16
#: Bytes by which the process may grow, since allocators take pages at any time.
GROWTH = 1 << 20


def make_net(*layers):
    random.seed(3)
    net = nn.HybridSequential()
    net.add(*layers)
    net.initialize()
    net.hybridize(static_alloc=True, static_shape=True)
    return net


def make_large_net():
    """Return a network whose weights are much larger than its other arrays."""
    convolutions = [nn.Conv2D(128, 3, in_channels=128, padding=1) for _ in range(3)]
    return make_net(
        *convolutions,
        nn.BatchNorm(in_channels=128),
        nn.Dense(256, in_units=2048, activation="relu"),
        nn.Dense(256, in_units=256),
    )


def weight_bytes(net):
    return sum(4 * param.data().size for param in net.collect_params().values())


def in_threads(function):
    """Run a function of the number of a client in `CLIENTS` threads, which start it together."""
    start, errors = threading.Barrier(CLIENTS), []

    def run(number):
        try:
            start.wait()
            function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def make_inputs(shape):
    return [np.random.default_rng(k).normal(size=shape).astype("float32") for k in range(5)]


def predict_often(net, inputs, expected, count):
    """Return a function of a client that predicts, and compares each result."""

    def client(number):
        for index in range(count):
            which = (number + index) % len(inputs)
            found = net(nd.array(inputs[which])).asnumpy()
            assert np.array_equal(found, expected[which]), f"client {number}, request {index}"

    return client


def bytes_kept(function):
    """Return by how many bytes of arrays a function's calls have grown the process."""
    gc.collect()
    before = memory_stats()["live_bytes"]
    function()
    gc.collect()
    return memory_stats()["live_bytes"] - before


@pytest.mark.parametrize("first_call", ["alone", "together"])
def test_clients_share_the_weights(first_call):
    inputs = make_inputs((1, 128, 4, 4))
    alone, shared = make_large_net(), make_large_net()
    expected = []

    def run_clients():
        if first_call == "alone":
            shared(nd.array(inputs[0])).wait_to_read()
        in_threads(predict_often(shared, inputs, expected, 50))

    of_one = bytes_kept(lambda: expected.extend(alone(nd.array(x)).asnumpy() for x in inputs))
    of_clients = bytes_kept(run_clients)
    # Only intermediate results exist once for each client.
    assert of_clients - of_one <= weight_bytes(shared) / 20


@pytest.mark.skipif(not HAS_MALLINFO, reason="asks glibc 2.33 or later")
def test_requests_of_clients_do_not_grow_the_process(stress, no_collector):
    net = make_net(nn.Dense(16, in_units=64, activation="relu"), nn.Dense(4, in_units=16))
    inputs = make_inputs((1, 64))
    expected = [net(nd.array(x)).asnumpy() for x in inputs]
    in_threads(predict_often(net, inputs, expected, REQUESTS // CLIENTS))
    gc.collect()
    live, handed_out, size = memory_stats()["live_bytes"], given_by_malloc(), resident()
    in_threads(predict_often(net, inputs, expected, REQUESTS * stress // CLIENTS))
    assert gc.collect() == 0
    assert memory_stats()["live_bytes"] == live
    assert given_by_malloc() - handed_out <= HANDED_OUT
    assert resident() - size <= GROWTH
