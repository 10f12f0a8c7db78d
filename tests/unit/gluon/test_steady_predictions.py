"""Hybridized blocks predict like imperative ones, whatever happens to their parameters."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import autograd, engine, gluon, nd
from opforge.gluon import nn

pytestmark = pytest.mark.plugins


class Net(gluon.HybridBlock):
    """Steady values: a weight with rows of length 1, part of a table, a scale, and BatchNorm's."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(4, 3))
            self.table = self.params.get("table", shape=(6, 4))
            self.gamma = self.params.get("gamma", shape=(4,), init="ones")
            self.running_var = self.params.get(
                "running_var", shape=(4,), init="ones", grad_req="null"
            )
            self.norm = nn.BatchNorm(in_channels=4)
            self.last = nn.Dense(2, in_units=4)

    def hybrid_forward(self, F, x, weight, table, gamma, running_var):
        length = F.sqrt(F.sum(weight * weight, axis=1, keepdims=True)) + 0.1
        y = F.FullyConnected(x, F.broadcast_div(weight, length), no_bias=True, num_hidden=4)
        y = F.broadcast_mul(y, F.reshape(gamma / F.sqrt(running_var + 1e-3), shape=(1, 4)))
        y = F.broadcast_add(y, F.slice_axis(table, axis=0, begin=2, end=3))
        return self.last(self.norm(y))


class Program:
    """A net, the same one not hybridized, and all changes that may affect their parameters."""

    def __init__(self, seed):
        mx.random.seed(seed)
        self.net = Net()
        self.net.initialize(mx.init.Normal(1))
        self.twin = Net(params=self.net.collect_params())
        self.twin.norm = nn.BatchNorm(in_channels=4, params=self.net.norm.params)
        self.twin.last = nn.Dense(2, in_units=4, params=self.net.last.params)
        self.net.hybridize()
        self.trainer = gluon.Trainer(self.net.collect_params(), "adam", kvstore=None)
        self.store = mx.kv.create("local")
        self.store.init(0, nd.random.normal(shape=(4, 3)))
        self.shown = None

    def predict(self, n):
        x = nd.random.normal(shape=(n, 3))
        found = self.net(x).asnumpy()
        np.testing.assert_allclose(found, self.twin(x).asnumpy(), rtol=1e-5, atol=1e-5)

    def step(self, n):
        with autograd.record():
            loss = (self.net(nd.random.normal(shape=(n, 3))) ** 2).sum()
        loss.backward()
        self.trainer.step(n)

    def set_data(self, n):
        self.net.weight.set_data(nd.random.normal(shape=(4, 3)))

    def write(self, n):
        self.net.weight.data()[:] = nd.random.normal(shape=(4, 3))

    def write_row(self, n):
        self.net.table.data()[n] = n

    def write_view(self, n):
        self.net.table.data()[2:4].reshape((8,))[n] = n

    def multiply(self, n):
        gamma = self.net.gamma.data()
        gamma *= 1.5

    def out(self, n):
        nd.random.uniform(0.5, 2, shape=(4,), out=self.net.running_var.data())

    def pull(self, n):
        self.store.pull(0, out=self.net.weight.data())

    def push_task(self, n):
        weight = self.net.weight.data()
        engine.push(lambda: weight.__setitem__(slice(None), n), write=[weight])

    def replace(self, n):
        self.net.weight.initialize(mx.init.Normal(1), force_reinit=True)

    def freeze(self, n):
        self.net.weight.grad_req = "null" if self.net.weight.grad_req == "write" else "write"

    def export(self, n):
        self.shown = np.asarray(self.net.weight.data())

    def write_export(self, n):
        if self.shown is not None:
            self.shown[1] = n

    def drop_export(self, n):
        self.shown = None

    def in_thread(self, n):
        thread = threading.Thread(target=self.write, args=(n,))
        thread.start()
        thread.join()

    def hybridize_again(self, n):
        self.net.hybridize()


ACTIONS = [name for name in vars(Program) if not name.startswith("_")]
#: Several predictions between most writes; otherwise nothing would be steady.
EVENTS = st.tuples(st.sampled_from(["predict"] * len(ACTIONS) + ACTIONS), st.integers(1, 4))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 100), st.lists(EVENTS, min_size=4, max_size=24))
def test_predictions_follow_every_write(seed, events):
    program = Program(seed)
    for action, n in events:
        getattr(program, action)(n)
    program.predict(2)


def test_parameters_that_are_loaded_from_a_file_are_seen(tmp_path):
    program = Program(1)
    path = str(tmp_path / "net.params")
    program.predict(2)
    program.net.save_parameters(path)
    program.write(1)
    program.write_row(2)
    program.predict(2)
    program.net.load_parameters(path)
    program.predict(2)


def test_values_are_computed_once_for_all_shapes():
    program = Program(2)
    for n in range(1, 6):
        program.predict(n)
    (store,) = program.net._graph._steady.values()
    assert [value.n_runs for value in store._values.values()] == [1] * 5
    program.write(1)
    program.predict(1)
    assert sorted(value.n_runs for value in store._values.values()) == [1, 1, 1, 1, 2]


def test_predicting_threads_end_with_the_trained_values():
    program = Program(3)
    x = nd.random.normal(shape=(2, 3))

    def predict():
        for _ in range(60):
            program.net(x)

    threads = [threading.Thread(target=predict) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        program.step(2)
    for thread in threads:
        thread.join()
    program.predict(2)
    program.predict(3)
