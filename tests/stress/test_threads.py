"""Concurrent threads that use opforge get the same results as each alone."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.gluon import nn
from opforge.native.array import push
from opforge.native.threads import engine, parallel

THREADS = 8
STEPS = 12


@pytest.fixture(autouse=True)
def _several_threads() -> Iterator[None]:
    before = parallel.get_num_threads()
    parallel.set_num_threads(3)
    engine.configure(workers=2, naive=False)
    yield
    parallel.set_num_threads(before)
    engine.configure()


def _train(number: int) -> list[bytes]:
    """Train a separate net from random weights; return losses and final weights as bytes."""
    mx.random.seed(number)
    net = nn.HybridSequential(prefix=f"net{number}_")
    with net.name_scope():
        net.add(nn.Dense(32 + number, activation="relu", in_units=20))
        net.add(nn.Dense(3, in_units=32 + number))
    net.initialize(mx.init.Normal(0.1))
    if number % 2:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trace = []
    for _ in range(STEPS):
        x = nd.random.normal(shape=(64, 20))
        y = nd.random.randint(0, 3, shape=(64,)).astype("float32")
        noise = nd.random.uniform(0, 0.1, shape=x.shape)
        with autograd.record():
            loss = loss_of(net(x + noise), y)
        loss.backward()
        trainer.step(64)
        trace.append(loss.asnumpy().tobytes())
    return trace + [p.data().asnumpy().tobytes() for p in net.collect_params().values()]


def test_eight_threads_train_as_each_does_alone(request: pytest.FixtureRequest) -> None:
    alone = [_train(number) for number in range(THREADS)]
    for _ in range(request.config.getoption("stress")):
        together: list[object] = [None] * THREADS

        def run(number: int, results: list[object] = together) -> None:
            try:
                results[number] = _train(number)
            except BaseException as error:
                results[number] = error

        threads = [threading.Thread(target=run, args=(n,)) for n in range(THREADS)]
        stop = threading.Event()
        pusher = threading.Thread(target=_push_until, args=(stop,))
        for thread in [pusher, *threads]:
            thread.start()
        for thread in threads:
            thread.join()
        stop.set()
        pusher.join()
        for number in range(THREADS):
            assert together[number] == alone[number], f"thread {number}"


def _push_until(stop: threading.Event) -> None:
    shared, total = nd.zeros((500,)), 0
    while not stop.is_set():

        def add() -> None:
            shared[:] = shared + nd.random.uniform(1, 1, shape=(500,))

        push(add, write=[shared])
        total += 1
        if total % 10 == 0:
            assert (shared.asnumpy() == total).all()
    assert (shared.asnumpy() == total).all()


def test_random_streams_are_per_thread() -> None:
    def draw(results: list[np.ndarray]) -> None:
        mx.random.seed(5)
        for _ in range(200):
            results.append(nd.random.normal(shape=(7,)).asnumpy())

    traces: list[list[np.ndarray]] = [[] for _ in range(4)]
    threads = [threading.Thread(target=draw, args=(trace,)) for trace in traces]
    mx.random.seed(6)
    before = nd.random.uniform(shape=(3,)).asnumpy()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = nd.random.uniform(shape=(3,)).asnumpy()
    for trace in traces[1:]:
        np.testing.assert_array_equal(trace, traces[0])
    mx.random.seed(6)
    np.testing.assert_array_equal(nd.random.uniform(shape=(3,)).asnumpy(), before)
    np.testing.assert_array_equal(nd.random.uniform(shape=(3,)).asnumpy(), after)


def test_threads_that_do_not_seed_draw_different_numbers() -> None:
    mx.random.seed(7)
    drawn = [nd.random.uniform(shape=(4,)).asnumpy()]

    def draw() -> None:
        drawn.append(nd.random.uniform(shape=(4,)).asnumpy())

    for _ in range(3):
        thread = threading.Thread(target=draw)
        thread.start()
        thread.join()
    assert len(np.unique(drawn)) == 16
