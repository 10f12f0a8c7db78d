"""`plan`, workspace, wanted gradients, saved arrays, states, inference in both directions."""

import gc
import threading

import numpy as np
import pytest

import opforge
from opforge import autograd, nd, sym
from opforge.base.errors import NativeError, OperatorError, ShapeError
from opforge.gluon import HybridBlock
from opforge.native.threads.parallel import set_num_threads
from opforge.testing import check_gradients, check_ways

from .declarations import declare, registered
from .heavy import declare_heavy


@pytest.fixture(scope="module", autouse=True)
def operators(heavy):
    with registered(declare_heavy(heavy), "abi-heavy"):
        yield


class Planned(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.abi_planned(F.abi_planned(x) + 1)


def step(function, x):
    """Return the result and the gradient of an input."""
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    return y.asnumpy(), x.grad.asnumpy()


def test_each_combination_is_planned_once(heavy):
    cls = declare(heavy, "planned", fault=opforge.plugin_api.Attribute(int, default=0), saves=())
    gc.collect()
    before = heavy.plans()
    prop = cls()
    arrays = [nd.ones((n,)) for n in (3, 4, 5)]
    for _ in range(10):
        for x in arrays:
            out = nd.zeros(x.shape)
            prop.compute([x], [out], ["write"])
            assert out.asnumpy().tolist() == [len(x)] * len(x)
    planned, freed = heavy.plans()
    assert (planned - before[0], freed - before[1]) == (3, 0)
    del prop
    gc.collect()
    assert heavy.plans() == (planned, planned - before[0] + before[1])


def test_another_number_of_threads_is_another_combination(heavy):
    x = nd.ones((6,))
    nd.abi_planned(x)
    before = heavy.plans()[0]
    previous = set_num_threads(3)
    try:
        nd.abi_planned(x)
        nd.abi_planned(x)
        assert heavy.plans()[0] == before + 1
    finally:
        set_num_threads(previous)


def test_plans_of_many_shapes_are_bounded(heavy):
    nd.abi_planned(nd.ones((1,)))
    planned, freed = heavy.plans()
    for n in range(1, 1000):
        nd.abi_planned(nd.ones((n,)))
    gc.collect()
    assert heavy.plans()[0] - heavy.plans()[1] - (planned - freed) <= 300


def test_threads_with_other_shapes_never_get_each_others_plan():
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        try:
            for n in rng.integers(1, 400, 300):
                y, grad = step(nd.abi_planned, nd.ones((int(n),)))
                if not (y == n).all() or not (grad == n).all():
                    wrong.append(n)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_forward_and_backward_have_plan_and_workspace_on_every_path():
    x = np.array([1.0, 2.0, 3.0], "float32")
    check_ways(lambda F, x: F.abi_planned(x), [x])
    block = Planned()
    plain = step(block, nd.array(x))
    block.hybridize()
    for have, want in zip(step(block, nd.array(x)), plain, strict=True):
        np.testing.assert_array_equal(have, want)
    np.testing.assert_array_equal(plain[0], 9 * x + 3)


@pytest.mark.usefixtures("no_collector")
def test_a_graph_has_the_workspace_in_its_arena():
    """A compiled graph allocates nothing from the pool, and its steps share one workspace."""
    block = Planned()
    block.hybridize()
    x = nd.ones((1 << 16,))
    for _ in range(3):
        block(x).wait_to_read()
    before = opforge.memory_stats()
    y = block(x)
    after = opforge.memory_stats()
    assert after["system_allocations"] == before["system_allocations"]
    assert after["pool_hits"] - before["pool_hits"] == 1, "only the result is allocated"
    assert y.asnumpy()[0] == (1 + (1 << 16)) * (1 << 16)


@pytest.mark.usefixtures("no_collector")
def test_workspace_of_eager_calls_comes_from_the_pool():
    x = nd.ones((1 << 20,))
    for _ in range(3):
        nd.abi_planned(x)
    before = opforge.memory_stats()
    for _ in range(10):
        nd.abi_planned(x)
    after = opforge.memory_stats()
    assert after["system_allocations"] == before["system_allocations"]
    assert after["live_bytes"] == before["live_bytes"]


@pytest.mark.parametrize("hybridized", [False, True])
def test_failing_plans_raise_errors_of_the_operator(hybridized):
    class Block(HybridBlock):
        def __init__(self, fault):
            super().__init__()
            self.fault = fault

        def hybrid_forward(self, F, x):
            return F.abi_planned(x, fault=self.fault)

    for fault, error, text in (
        (1, ShapeError, "1 dimensions are too many"),
        (2, NativeError, "plan requested a workspace of -1 bytes"),
    ):
        block = Block(fault)
        block.hybridize(hybridized)
        with pytest.raises(OperatorError, match=rf"'abi_planned' .*{text}") as caught:
            block(nd.ones((2,)))
        assert isinstance(caught.value.__cause__, error)


WANTED = [((True, True), 3), ((True, False), 1), ((False, True), 2)]


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize(("wanted", "bits"), WANTED)
def test_backward_computes_only_the_wanted_gradients(heavy, wanted, bits, hybridized):
    class Block(HybridBlock):
        def hybrid_forward(self, F, x, y):
            return F.abi_both(x, y)

    block = Block()
    block.hybridize(hybridized)
    arrays = [nd.array([2.0, 3.0], dtype="float64"), nd.array([5.0, 7.0], dtype="float64")]
    for array, flag in zip(arrays, wanted, strict=True):
        if flag:
            array.attach_grad()
    with autograd.record():
        z = block(*arrays)
    z.backward()
    assert heavy.wanted() == bits
    for array, other, flag in zip(arrays, arrays[::-1], wanted, strict=True):
        if flag:
            assert array.grad.asnumpy().tolist() == other.asnumpy().tolist()


def test_an_executor_requests_the_wanted_gradients(heavy):
    z = sym.abi_both(sym.var("x"), sym.var("y"))
    shapes = {"x": (2,), "y": (2,)}
    types = dict.fromkeys(shapes, "float64")
    run = z.simple_bind(opforge.cpu(), {"x": "null", "y": "write"}, type_dict=types, **shapes)
    run.arg_dict["x"][:] = 4
    run.forward(is_train=True)
    run.backward([nd.ones((2,), dtype="float64")])
    assert heavy.wanted() == 2 and run.grad_dict["y"].asnumpy().tolist() == [4, 4]


def test_gradients_of_both():
    check_gradients(lambda x, y: nd.abi_both(x, y), [[1.0, -2.0], [3.0, 0.5]])


@pytest.mark.usefixtures("no_collector")
def test_arrays_that_are_not_saved_are_freed_and_have_no_data():
    check_ways(lambda F, x, w, b: F.abi_affine(x, w, b), [np.arange(4.0) + n for n in range(3)])
    x, w = nd.ones((1 << 16,), dtype="float64"), nd.ones((1 << 16,), dtype="float64")
    x.attach_grad()
    before = opforge.memory_stats()["live_bytes"]
    with autograd.record():
        y = nd.abi_affine(x, w, nd.ones((1 << 16,), dtype="float64"))
    assert opforge.memory_stats()["live_bytes"] - before == y.size * 8, "the third input is freed"
    y.backward()
    assert x.grad.asnumpy()[0] == 1


def test_inference_in_both_directions_completes_states():
    z = sym.abi_counted(sym.var("data"), sym.var("weight"), sym.var("count"), name="n")
    assert z.infer_shape(data=(3, 4)) == ([(3, 4), (4,)], [(3, 4)], [(1,)])
    inputs, outputs, states = (z + sym.var("other")).infer_shape(other=(3, 4))
    assert (inputs, outputs, states) == ([(3, 4), (4,), (3, 4)], [(3, 4)], [(1,)])
    assert z.infer_type(data="float64")[0] == [np.float64, np.float64]
    with pytest.raises(ShapeError, match=r"abi_counted.*data has 3 dimensions"):
        z.infer_shape(data=(1, 2, 3))


class Counted(HybridBlock):
    def __init__(self):
        super().__init__()
        self.weight = self.params.get("weight", shape=(0,), allow_deferred_init=True, init="ones")
        self.count = self.params.get(
            "count", shape=(0,), allow_deferred_init=True, init="ones", grad_req="null"
        )

    def hybrid_forward(self, F, x, weight, count):
        return F.abi_counted(x, weight, count)


@pytest.mark.parametrize("hybridized", [False, True])
def test_states_are_read_and_written(hybridized, tmp_path):
    block = Counted()
    block.initialize()
    block.hybridize(hybridized)
    x = nd.ones((2, 3))
    for call in range(3):
        with autograd.record():
            y = block(x)
        y.backward()
        assert y.asnumpy()[0, 0] == 2 + call
        assert block.weight.grad().asnumpy().tolist() == [2, 2, 2]
    assert block.count.data().asscalar() == 4
    assert block(x).asnumpy()[0, 0] == 5 == block(x).asnumpy()[0, 0], (
        "states change in training only"
    )
    block.save_parameters(str(tmp_path / "p"))
    other = Counted()
    other.load_parameters(str(tmp_path / "p"))
    assert other(x).asnumpy()[0, 0] == 5


def test_equal_calls_with_one_state_are_not_merged():
    x, w, c = sym.var("x"), sym.var("w"), sym.var("c")
    both = sym.abi_counted(x, w, c) + sym.abi_counted(x, w, c)
    arrays, count = {"x": nd.ones((1, 1)), "w": nd.ones((1,))}, nd.ones((1,))
    run = both.bind(opforge.cpu(), arrays, aux_states={"c": count})
    assert run.forward(is_train=True)[0].asscalar() == 2 + 3
    assert count.asscalar() == 3


def test_a_state_of_another_shape_or_type_never_reaches_a_function():
    x, w = nd.ones((2, 3)), nd.ones((3,))
    with pytest.raises(ShapeError, match="abi_counted"):
        nd.abi_counted(x, w, nd.ones((2,)))
    with pytest.raises(OperatorError, match="input 'count' is float64, expected float32"):
        nd.abi_counted(x, w, nd.ones((1,), dtype="float64"))


def test_float16_is_converted_in_both_directions():
    x = nd.array([[0.5, 2048.0, -3.0]], dtype="float16")
    assert nd.abi_half(x).asnumpy().tolist() == [[1.0, 4096.0, -6.0]]
