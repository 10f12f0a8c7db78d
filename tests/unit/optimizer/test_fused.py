"""Optimizers whose rule is native: whole steps at once, and subclasses with rules of their own."""

import numpy as np
import pytest

from opforge import nd, optimizer
from opforge.native.memory.buffer import memory_stats

NAMES = ["sgd", "nag", "adam", "rmsprop", "adagrad", "adadelta"]


def weights_of(dtype):
    rng = np.random.default_rng(3)
    return [nd.array(rng.normal(size=n), dtype=dtype) for n in (7, 1, 600)]


@pytest.mark.filterwarnings("ignore:Accumulating with float16")
@pytest.mark.parametrize("precise", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", NAMES)
def test_all_at_once_and_one_by_one_agree(name, dtype, precise):
    results = []
    for at_once in (True, False):
        made = optimizer.create(name, wd=0.1, multi_precision=precise)
        made.set_lr_mult({1: 0.5})
        updater = optimizer.get_updater(made)
        weights = weights_of(dtype)
        for _ in range(3):
            grads = [w * 2 for w in weights]
            if at_once:
                updater([0, 1, 2], grads, weights)
            else:
                for one in zip(range(3), grads, weights, strict=True):
                    updater(*one)
        assert made.num_update == 3
        results.append([w.asnumpy() for w in weights])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", NAMES)
def test_a_step_without_weights_changes_nothing(name):
    optimizer.create(name).update_weights([], [], [], [])


def test_mixed_precision_in_one_step():
    updater = optimizer.get_updater(optimizer.SGD(learning_rate=1e-4, multi_precision=True))
    half, single = nd.ones((2,), dtype="float16"), nd.ones((2,))
    for _ in range(10):
        updater([0, 1], [nd.ones((2,), dtype="float16"), nd.ones((2,))], [half, single])
    assert (half.asnumpy() == np.float16(1 - 1e-3)).all()
    np.testing.assert_allclose(single.asnumpy(), 1 - 1e-3, rtol=1e-6)


def test_a_subclass_with_its_own_update_is_asked():
    class Halving(optimizer.SGD):
        def update(self, index, weight, grad, state):
            weight *= 0.5
            super().update(index, weight, grad, state)

    weights = [nd.ones((2,)), nd.ones((3,))]
    updater = optimizer.get_updater(Halving(learning_rate=0.25))
    updater([0, 1], [nd.ones((2,)), nd.ones((3,))], weights)
    assert [w.asnumpy().tolist() for w in weights] == [[0.25] * 2, [0.25] * 3]


def test_a_subclass_with_its_own_precision_is_asked():
    asked = []

    class Watched(optimizer.Adam):
        def update_multi_precision(self, index, weight, grad, state):
            asked.append(index)
            super().update_multi_precision(index, weight, grad, state)

    optimizer.get_updater(Watched())(
        ["a", "b"], [nd.ones((1,))] * 2, [nd.ones((1,)), nd.ones((1,))]
    )
    assert asked == ["a", "b"]


def test_rules_of_subclasses_may_write_gradients():
    class Watched(optimizer.Adam):
        def update(self, index, weight, grad, state):
            super().update(index, weight, grad, state)

    assert optimizer.Adam().keeps_gradients
    assert not Watched().keeps_gradients
    assert not optimizer.Optimizer().keeps_gradients


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("no_collector")
def test_a_step_takes_no_memory(name):
    updater = optimizer.get_updater(optimizer.create(name, wd=0.1, multi_precision=True))
    weights = [nd.ones((300,)), nd.ones((200,), dtype="float16")]
    grads = [nd.ones((300,)), nd.ones((200,), dtype="float16")]
    updater([0, 1], grads, weights)  # makes the states
    before = memory_stats()
    updater([0, 1], grads, weights)
    assert memory_stats() == before


@pytest.mark.parametrize("kind", ["csr", "default", "row_sparse"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", [*NAMES, "momentum"])
def test_csr_weights_follow_dense_ones(name, dtype, kind):
    values = np.random.default_rng(1).normal(size=(3, 5))
    values[values < 0] = 0
    results = []
    for stype in ("csr", "default"):
        options = {"momentum": 0.9} if name == "momentum" else {}
        made = optimizer.create(name if not options else "sgd", wd=0.1, multi_precision=True)
        made.momentum = options.get("momentum", 0.0)
        updater = optimizer.get_updater(made)
        weight = nd.array(values, dtype=dtype).tostype(stype)
        for step in range(3):
            grad = nd.array(np.eye(3, 5, step), dtype=dtype)
            updater(0, grad.tostype(kind if stype == "csr" else "default"), weight)
        assert weight.stype == stype
        results.append(weight.asnumpy())
    np.testing.assert_array_equal(*results)
    assert np.count_nonzero(results[0] != values.astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", NAMES)
def test_lists_update_several_weights(name, dtype):
    results = []
    for in_lists in (True, False):
        made = optimizer.create(name, wd=0.1, multi_precision=True)
        weights, indices = weights_of(dtype), [0, 1, 2]
        states = [
            made.create_state_multi_precision(index, weight)
            for index, weight in zip(indices, weights, strict=True)
        ]
        for _ in range(2):
            grads = [w * 2 for w in weights]
            if in_lists:
                made.update_multi_precision(indices, weights, grads, states)
            else:
                for one in zip(indices, weights, grads, states, strict=True):
                    made.update_multi_precision(*one)
        results.append([w.asnumpy() for w in weights])
        assert made.num_update == 2
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_update_of_lists():
    made = optimizer.SGD(learning_rate=1.0)
    weights = [nd.ones(2), nd.ones(3)]
    made.update((0, 1), weights, [nd.ones(2), nd.ones(3) * 2], [None, None])
    assert [w.asnumpy().tolist() for w in weights] == [[0, 0], [-1, -1, -1]]
