import gc
import os
import pickle
import threading

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, engine, nd, sym
from opforge.base.errors import OpforgeError
from opforge.native.array import copy_into, wrap_numpy
from opforge.native.graph.steady import SteadyInputs, SteadyValue
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.compiler.steady_values import SteadyStore

SHAPE = (4, 3)


class Reading:
    """A program that gives ``x * (2 * w)``, of which ``2 * w`` is steady."""

    def __init__(self, shape=SHAPE, symbol=None):
        w = sym.var("w")
        symbol = sym.broadcast_mul(sym.var("x"), w * 2) if symbol is None else symbol(w)
        self.store = SteadyStore(mx.cpu())
        graph = lower(symbol, {"x": shape, "w": shape}, {})
        self.made = compile_graph(graph, {}, ["w"], self.store)
        assert len(self.made.steady) == 1
        self.program = self.made.instantiate()
        self.out = nd.zeros(shape)
        self.program.put(self.made.inputs["x"], nd.ones(shape))
        self.program.put(self.made.outputs[0], self.out)

    def __call__(self, w, train=False):
        self.program.put(self.made.inputs["w"], w)
        self.made.steady.put(self.program, train)
        self.program.run(0, self.made.n_forward, train)
        self.made.steady.clear(self.program)
        return self.out.asnumpy()

    @property
    def value(self):
        (found,) = self.store._values.values()
        return found

    @property
    def runs(self):
        return self.value.n_runs

    def notices(self, w):
        """Return whether the value for `w` was recomputed and is correct."""
        before = self.runs
        np.testing.assert_array_equal(self(w), 2 * w.asnumpy())
        return self.runs > before


def parameter():
    return nd.array(np.arange(12).reshape(SHAPE))


def test_it_is_computed_once():
    reading = Reading()
    w = parameter()
    for _ in range(5):
        np.testing.assert_array_equal(reading(w), 2 * w.asnumpy())
    assert reading.runs == 1


def _optimizer(w):
    mx.optimizer.create("sgd", learning_rate=0.5).update(0, w, nd.ones(SHAPE), None)


def _kvstore(w):
    store = mx.kv.create("local")
    store.init(0, nd.ones(SHAPE) * 7)
    store.pull(0, out=w)


def _backward(w):
    x = nd.ones(SHAPE)
    autograd.mark_variables([x], [w])
    with autograd.record():
        y = x * 3
    y.backward()


def _push_task(w):
    engine.push(lambda: w.__setitem__(slice(None), 5), write=[w])


def _state(w):
    """An operator that writes its auxiliary state."""
    net = sym.BatchNorm(sym.var("x"), fix_gamma=False, momentum=0.5)
    states = {"batchnorm0_moving_mean": w.reshape((-1,)), "batchnorm0_moving_var": nd.ones(12)}
    names = net.list_auxiliary_states()
    given = dict(zip(names, states.values(), strict=True))
    args = {name: nd.ones(12) for name in net.list_arguments()[1:]}
    args["x"] = nd.random.normal(shape=(5, 12))
    gradients = {name: nd.zeros(array.shape) for name, array in args.items()}
    executor = net.bind(mx.cpu(), args, gradients, aux_states=given)
    executor.forward(is_train=True)
    executor.backward(nd.ones((5, 12)))


def _memoryview(w):
    memoryview(w).cast("B").cast("f")[3] = 9


WRITES = {
    "all of it": lambda w: w.__setitem__(slice(None), 5),
    "an array": lambda w: w.__setitem__(slice(None), nd.ones(SHAPE)),
    "a NumPy array": lambda w: w.__setitem__(slice(None), np.ones(SHAPE, "float64")),
    "a row": lambda w: w.__setitem__(1, 5),
    "an element": lambda w: w.__setitem__((1, 2), 5),
    "a column": lambda w: w.__setitem__((slice(None), 1), 5),
    "rows by list": lambda w: w.__setitem__([0, 2], 5),
    "a view": lambda w: w[2].__setitem__(slice(None), 5),
    "a view reshaped": lambda w: w.reshape((12,)).__setitem__(4, 5),
    "+=": lambda w: w.__iadd__(1),
    "*= array": lambda w: w.__imul__(nd.ones(SHAPE) * 3),
    "out, elementwise": lambda w: nd.exp(nd.ones(SHAPE), out=w),
    "out, computation": lambda w: nd.dot(nd.ones((4, 2)), nd.ones((2, 3)), out=w),
    "out, random": lambda w: nd.random.normal(shape=SHAPE, out=w),
    "out, composed": lambda w: nd.concat(nd.ones((2, 3)), nd.ones((2, 3)), dim=0, out=w),
    "copyto": lambda w: nd.ones(SHAPE).copyto(w),
    "copy_into": lambda w: copy_into(w, nd.ones(SHAPE)),
    "initializer": lambda w: mx.init.Xavier()("weight", w),
    "optimizer": _optimizer,
    "kvstore": _kvstore,
    "gradient": _backward,
    "memoryview": _memoryview,
    "pushed task": _push_task,
    "state": _state,
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.plugins] if n == "state" else []) for n in WRITES],
)
def test_every_write_is_detected(name):
    reading = Reading()
    w = parameter()
    assert reading.notices(w)
    assert not reading.notices(w)
    WRITES[name](w)
    assert reading.notices(w)
    assert not reading.notices(w)


@pytest.mark.parametrize("export", [memoryview, np.asarray], ids=["memoryview", "asarray"])
def test_memory_that_other_code_can_write_is_read_again(export):
    reading = Reading()
    w = parameter()
    reading(w)
    shown = export(w)
    assert reading.notices(w)
    assert reading.notices(w)
    del shown
    gc.collect()
    assert reading.notices(w)
    assert not reading.notices(w)


def test_exported_addresses_may_be_used_at_any_time():
    reading = Reading()
    w = parameter()
    assert w.handle
    assert reading.notices(w)
    assert reading.notices(w)


def test_foreign_memory_is_read_again():
    reading = Reading()
    source = np.ones(SHAPE, "float32")
    w = wrap_numpy(source)
    reading(w)
    source[0] = 3
    assert reading.notices(w)


def test_another_array_is_another_value():
    reading = Reading()
    first, second = parameter(), nd.ones(SHAPE)
    assert reading.notices(first)
    assert reading.notices(second)
    assert reading.notices(first)


def test_views_of_one_array_are_different():
    reading = Reading()
    both = nd.array(np.arange(24).reshape(8, 3))
    assert reading.notices(both[:4])
    assert reading.notices(both[4:])
    assert not reading.notices(both[4:])


def test_replaced_memory_is_detected():
    reading = Reading()
    w = parameter()
    reading(w)
    w.attach_grad()
    grad = w.grad
    assert reading.notices(grad)
    with autograd.record():
        y = w * 2 + w * 3
    y.backward()
    assert reading.notices(grad)


def test_training_mode_is_distinguished():
    reading = Reading()
    w = parameter()
    reading(w)
    reading(w, train=True)
    assert reading.runs == 2


def test_value_lives_no_longer_than_its_graph():
    reading = Reading()
    reading(parameter())
    assert len(reading.store._values) == 1
    reading.made = reading.program = None
    gc.collect()
    assert reading.store.nbytes == 0


@pytest.mark.usefixtures("no_collector")
def test_previous_value_releases_its_memory():
    reading = Reading((256, 256))
    w = nd.ones((256, 256))
    reading(w)
    before = mx.memory_stats()["live_bytes"]
    for value in range(3):
        w[:] = value
        reading(w)
        assert mx.memory_stats()["live_bytes"] == before


def test_program_without_its_values_raises():
    reading = Reading()
    w = parameter()
    with pytest.raises(OpforgeError, match="without an array"):
        reading.program.run(0, reading.made.n_forward, False)  # no thread has put the value
    assert reading.notices(w)


@pytest.mark.parametrize("rows", [[(1, 2, [3])], [("value", 0, [])]])
def test_rows_are_checked(rows):
    with pytest.raises(TypeError):
        SteadyInputs(rows)


def test_inputs_are_counted():
    reading = Reading()
    with pytest.raises(TypeError, match="2 arrays"):
        SteadyInputs([(reading.value, 0, [1, 2])])
    assert isinstance(reading.value, SteadyValue)


# -- threads and processes ------------------------------------------------------------------------


def test_value_that_another_thread_may_be_writing_is_not_kept():
    """Its seal would be newer than a write that goes on."""
    reading = Reading()
    w = parameter()
    begun, done = threading.Event(), threading.Event()

    class Waiting(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            begun.set()
            assert done.wait(60)
            self.assign(out_data[0], req[0], in_data[0])

    @mx.operator.register("waiting_in_test_steady")
    class WaitingProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Waiting()

    thread = threading.Thread(
        target=lambda: nd.Custom(nd.ones(3), op_type="waiting_in_test_steady")
    )
    thread.start()
    assert begun.wait(60)
    try:
        assert reading.notices(w)
        assert reading.notices(w)
    finally:
        done.set()
        thread.join()
    assert reading.notices(w)
    assert not reading.notices(w)


def test_permanently_overlapping_threads_keep_values():
    """What had begun before is over as soon as each thread has come back once."""
    reading = Reading()
    w = parameter()
    turns = [threading.Semaphore(0), threading.Semaphore(0)]
    came = threading.Semaphore(0)

    class Turn(mx.operator.CustomOp):
        def __init__(self, number):
            self.number = number

        def forward(self, is_train, req, in_data, out_data, aux):
            came.release()
            assert turns[self.number].acquire(timeout=60)

    @mx.operator.register("turn_in_test_steady")
    class TurnProp(mx.operator.CustomOpProp):
        def __init__(self, number):
            super().__init__()
            self.number = int(number)

        def create_operator(self, ctx, shapes, dtypes):
            return Turn(self.number)

    def work(number):
        for _ in range(8):
            nd.Custom(nd.ones(3), op_type="turn_in_test_steady", number=number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    assert came.acquire(timeout=60)
    assert came.acquire(timeout=60)
    for number in (0, 1) * 7:  # one of them is always inside
        reading.notices(w)
        turns[number].release()
        assert came.acquire(timeout=60)
    assert not reading.notices(w)
    for turn in turns:
        turn.release()
    for thread in threads:
        thread.join()


def test_failed_calls_end():
    reading = Reading()
    w = parameter()

    class Failing(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            raise KeyError("on purpose")

    @mx.operator.register("failing_in_test_steady")
    class FailingProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Failing()

    x = nd.ones((300, 300))
    calls = (
        lambda: nd.Custom(nd.ones(3), op_type="failing_in_test_steady"),
        lambda: sym.Custom(sym.var("x"), op_type="failing_in_test_steady").eval(x=x),
        lambda: x.__setitem__((slice(None), [999]), 1),
        lambda: nd.elemwise_add(x, nd.ones((2, 2))),
        lambda: nd.broadcast_add(x, x.astype("float64")),
        lambda: nd.take(x, nd.array([5]), axis=7),
        lambda: mx.optimizer.create("sgd").update(0, x, x.astype("float64"), None),
    )
    failed = []

    def fail():
        for call in calls:
            try:
                call()
            except Exception as error:
                failed.append(error)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert len(failed) == len(calls)
    assert reading.notices(w)
    assert not reading.notices(w)


def test_many_threads_read_and_one_writes():
    reading, lock = Reading((64, 64)), threading.Lock()
    w = nd.zeros((64, 64))
    programs = [reading.made.instantiate() for _ in range(3)]
    wrong = []

    def read(program):
        out = nd.zeros((64, 64))
        program.put(reading.made.inputs["x"], nd.ones((64, 64)))
        program.put(reading.made.inputs["w"], w)
        program.put(reading.made.outputs[0], out)
        for _ in range(150):
            with lock:
                wanted = w[0, 0].asscalar()
            reading.made.steady.put(program, False)
            program.run(0, reading.made.n_forward, False)
            if out.asnumpy().min() < 2 * wanted:
                wrong.append((out.asnumpy().min(), wanted))

    threads = [threading.Thread(target=read, args=(program,)) for program in programs]
    for thread in threads:
        thread.start()
    for _ in range(100):
        with lock:
            w += 1
    for thread in threads:
        thread.join()
    assert not wrong
    np.testing.assert_array_equal(reading(w), 2 * w.asnumpy())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_child_of_a_fork_keeps_values():
    reading = Reading()
    w = parameter()
    reading(w)
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        w += 1
        seen = reading(w)[0].tolist(), reading.notices(w), reading.runs
        os.write(send, pickle.dumps(seen))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        assert pickle.load(pipe) == ([2, 4, 6], False, 2)
    assert not reading.notices(w)
