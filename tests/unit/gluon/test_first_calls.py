"""First calls that several threads make at the same time."""

import sys
import threading

import numpy as np
import pytest

from opforge import autograd, gluon, init, nd
from opforge.gluon import nn

N_THREADS = 4


class Slow(init.Uniform):
    """Yields to other threads while a value is created."""

    def __init__(self, created):
        super().__init__(1)
        self._created = created

    def __call__(self, name, array):
        super().__call__(name, array)
        self._created.append(str(name))
        threading.Event().wait(0.01)


@pytest.fixture(autouse=True)
def switching():
    """Switch between threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(function):
    """Return the results of several threads that call a function together."""
    barrier, found = threading.Barrier(N_THREADS), []

    def call():
        barrier.wait()
        found.append(function())

    threads = [threading.Thread(target=call) for _ in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == N_THREADS
    return found


@pytest.mark.plugins
@pytest.mark.parametrize("is_hybrid", [False, True])
def test_parameters_are_initialized_once(is_hybrid):
    created = []
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.HybridSequential())
    net[1].add(nn.Dense(3))
    net.initialize(Slow(created))
    if is_hybrid:
        net.hybridize()
    x = nd.ones((2, 5))
    answers = at_once(lambda: net(x).asnumpy())
    assert sorted(created) == sorted({*created})
    for answer in answers:
        np.testing.assert_array_equal(answer, net(x).asnumpy())


def test_a_new_value_has_its_gradient_at_once():
    class Scale(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.factor = self.params.get("factor", shape=(0,), allow_deferred_init=True)

        def infer_shape(self, x):
            self.factor.shape = x.shape

        def hybrid_forward(self, F, x, factor):
            return x * factor

    net = Scale()
    net.initialize(Slow([]))

    def step():
        with autograd.record():
            y = net(nd.ones(3))
        y.backward()
        return net.factor.grad().asnumpy()

    for gradient in at_once(step):
        assert gradient.tolist() == [1, 1, 1]


def test_a_kind_of_call_is_traced_and_compiled_once(hybrid):
    block = hybrid(lambda F, x: threading.Event().wait(0.01) or x * 2)
    for answer in at_once(lambda: block(nd.ones(2)).asnumpy()):
        assert answer.tolist() == [2, 2]
    assert block.count == 1


def test_an_error_in_one_thread_leaves_the_first_call_to_the_others(hybrid):
    def fail_once(F, x):
        if block.count == 1:
            raise KeyError("once")
        return x * 2

    block = hybrid(fail_once)

    def call():
        try:
            return block(nd.ones(1)).asscalar()
        except KeyError:
            return None

    assert sorted(at_once(call), key=str) == [2] * (N_THREADS - 1) + [None]
