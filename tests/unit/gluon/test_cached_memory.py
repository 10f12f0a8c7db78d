"""Memory, threads and processes of hybridized blocks."""

import gc
import os
import threading
import weakref

import numpy as np
import pytest

from opforge import autograd, memory_stats, nd
from opforge.base.errors import OpforgeError
from opforge.gluon import nn


def mlp():
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(8, activation="tanh"), nn.LayerNorm(), nn.Dense(3))
    net.initialize("normal")
    net.hybridize(static_alloc=True, static_shape=True)
    return net


def run_all(threads):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.plugins
def test_a_steady_state_takes_no_memory_from_the_system(step):
    net = mlp()
    x = nd.ones((4, 5))
    for _ in range(5):
        step(net, x)
    before = memory_stats()
    for _ in range(50):
        step(net, x)
    after = memory_stats()
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"pool_hits"}


@pytest.mark.plugins
def test_calls_that_overlap_take_no_memory_from_the_system_either():
    net = mlp()
    x = nd.ones((4, 5))
    x.attach_grad()

    def unrolled():
        with autograd.record():
            total = sum(net(x).sum() for _ in range(12))
        total.backward()

    for _ in range(3):
        unrolled()
    before = memory_stats()
    for _ in range(5):
        unrolled()
    after = memory_stats()
    assert after["system_allocations"] == before["system_allocations"]
    assert after["live_bytes"] == before["live_bytes"]


@pytest.mark.plugins
@pytest.mark.usefixtures("no_collector")
def test_ten_thousand_steps_leave_memory_flat(hybrid):
    block = hybrid(lambda F, x: F.tanh(x * 2) * F.softmax(x))
    x = nd.ones((2, 3))
    x.attach_grad()
    for count in (100, 10_000):
        for _ in range(count):
            with autograd.record():
                y = block(x)
            y.backward()
        if count == 100:
            before = memory_stats()
    after = memory_stats()
    assert after["live_buffers"] == before["live_buffers"]
    assert after["live_bytes"] == before["live_bytes"]
    assert after["system_allocations"] == before["system_allocations"]


@pytest.mark.plugins
@pytest.mark.parametrize("trains", [False, True])
def test_many_shapes_leave_memory_flat(trains, monkeypatch, step):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")
    net = mlp()

    def call(n):
        x = nd.ones((n, 5))
        (step(net, x) if trains else net(x))

    live = []
    for count in (150, 300):
        for n in range(1, count):
            call(n)
        call(300)
        live.append(memory_stats()["live_bytes"])
    assert live[1] <= live[0] + 64 * 1024
    assert net._graph._kinds.nbytes <= 1 << 20
    assert len(net._graph._kinds) < 150


@pytest.mark.plugins
@pytest.mark.usefixtures("no_collector")
def test_shapes_share_the_memory_of_intermediate_results():
    net = nn.HybridSequential()
    net.add(*(nn.Dense(512, in_units=512) for _ in range(4)))
    net.initialize()
    net.hybridize()
    net(nd.ones((64, 512)))
    before = memory_stats()["live_bytes"]
    for n in range(1, 64):
        net(nd.ones((n, 512)))
    assert memory_stats()["live_bytes"] == before


@pytest.mark.plugins
def test_outputs_of_other_shapes_are_unchanged():
    net = mlp()
    arrays = [nd.random.uniform(shape=(n, 5)) for n in (7, 3, 9, 1, 9)]
    outputs = [net(x) for x in arrays]
    copies = [y.asnumpy() for y in outputs]
    net.hybridize(False)
    for x, y, copy in zip(arrays, outputs, copies, strict=True):
        np.testing.assert_array_equal(y.asnumpy(), copy)
        np.testing.assert_allclose(copy, net(x).asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.plugins
def test_recorded_calls_of_several_shapes_wait_for_their_backward_pass(monkeypatch, step):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")
    net = mlp()
    arrays = [nd.random.uniform(shape=(n, 5)) for n in (7, 3, 9, 1, 9, 200)]
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        outputs = [net(x) for x in arrays]
    for n in range(10, 120):  # the kinds of the recorded calls are evicted meanwhile
        net(nd.ones((n, 5)))
    for y in reversed(outputs):
        y.backward()
    grads = [x.grad.asnumpy() for x in arrays]
    net.hybridize(False)
    for x, grad in zip(arrays, grads, strict=True):
        np.testing.assert_allclose(grad, step(net, x)[1], rtol=1e-4, atol=1e-6)


@pytest.mark.plugins
def test_a_recorded_call_that_is_dropped_gives_its_memory_back():
    net = mlp()
    net(nd.ones((50, 5)))
    for _ in range(3):
        with autograd.record():
            net(nd.ones((50, 5)))
        (arena,) = net._graph._arenas.values()
        if _ == 0:
            idle = arena.idle_bytes
    assert arena.idle_bytes == idle


@pytest.mark.plugins
def test_shapes_in_several_threads(monkeypatch):
    monkeypatch.setenv("OPFORGE_GRAPH_LIMIT_MB", "1")
    net = mlp()
    arrays = {n: nd.random.uniform(shape=(n, 5)) for n in range(1, 40)}
    want = {n: net(x).asnumpy() for n, x in arrays.items()}
    failures = []

    def run(start):
        for at in range(60):
            n = (start + 7 * at) % 39 + 1
            x = nd.array(arrays[n].asnumpy())
            x.attach_grad()
            with autograd.record():
                y = net(x)
            if not np.allclose(y.asnumpy(), want[n], rtol=1e-5, atol=1e-6):
                failures.append(n)
            y.backward()

    run_all([threading.Thread(target=run, args=(start,)) for start in range(3)])
    assert failures == []


@pytest.mark.plugins
@pytest.mark.usefixtures("no_collector")
def test_graphs_are_freed_without_the_collector(step):
    gc.collect()
    before = memory_stats()["live_bytes"]
    net = mlp()
    graph = None
    x = nd.ones((4, 5))
    step(net, x)
    graph = weakref.ref(net._graph)
    net.hybridize()
    assert graph() is None
    step(net, x)
    graph = weakref.ref(net._graph)
    del net, x
    assert graph() is None
    gc.collect()
    assert memory_stats()["live_bytes"] == before


@pytest.mark.plugins
def test_one_block_in_many_threads():
    net = mlp()
    x = nd.array(np.linspace(-1, 1, 20).reshape(4, 5))
    want = net(x).asnumpy()
    failures = []

    def run():
        for _ in range(40):
            mine = nd.array(x.asnumpy())
            mine.attach_grad()
            with autograd.record():
                y = net(mine)
            if not np.array_equal(y.asnumpy(), want):
                failures.append(y)
            autograd.grad(y, [mine])

    run_all([threading.Thread(target=run) for _ in range(4)])
    assert failures == []


@pytest.mark.plugins
def test_a_block_works_in_a_forked_child(step):
    net = mlp()
    x = nd.ones((4, 5))
    want = step(net, x)
    pid = os.fork()
    if pid == 0:
        good = False
        try:
            good = all(np.array_equal(a, b) for a, b in zip(step(net, x), want, strict=True))
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(pid, 0)[1] == 0


@pytest.mark.plugins
def test_export_before_the_first_call_raises_with_advice():
    with pytest.raises(OpforgeError, match="please first call"):
        mlp().export("nowhere")
