"""Optimizers of SVRG; the numbers are those of MXNet's own tests."""

import numpy as np
import pytest

import opforge as mx
from opforge.contrib.svrg_optimization.svrg_optimizer import _AssignmentOptimizer, _SVRGOptimizer

NAMES = {0: "weight", 1: "weight_full"}


def test_settings_are_for_both_optimizers_if_they_have_them():
    made = _SVRGOptimizer("sgd", learning_rate=-1.0, momentum=0.5, param_idx2name=NAMES)
    assert (made.lr, made.default_opt.lr, made.default_opt.momentum) == (-1, -1, 0.5)
    assert isinstance(made.aux_opt, _AssignmentOptimizer)
    with pytest.raises(TypeError, match="no_such"):
        _SVRGOptimizer("sgd", no_such=1)


def test_an_optimizer_is_wrapped():
    adam = mx.optimizer.Adam()
    assert _SVRGOptimizer(adam).default_opt is adam


@pytest.mark.parametrize("keys", [(0, 1), ("weight", "weight_full")])
def test_a_store_updates_parameters_and_keeps_full_gradients(keys):
    store = mx.kv.create("local")
    store.set_optimizer(_SVRGOptimizer("sgd", param_idx2name=NAMES, learning_rate=1.0))
    found = []
    for key, initial, pushed in zip(keys, (0, 1), (1, 2), strict=True):
        store.init(key, mx.nd.full((3,), initial))
        store.push(key, mx.nd.full((3,), pushed))
        out = mx.nd.zeros((3,))
        store.pull(key, out)
        found.append(out.asnumpy().tolist())
    assert found == [[-1, -1, -1], [2, 2, 2]]


def test_full_gradients_have_no_state():
    made = _SVRGOptimizer("sgd", param_idx2name=NAMES, momentum=0.9)
    weight = mx.nd.ones((2,))
    assert made.create_state(1, weight) is None
    assert made.create_state(0, weight).shape == (2,)


def test_saved_states_continue_the_counts_of_the_wrapped_optimizer():
    def step(updater):
        updater(0, mx.nd.ones((2,)), weight)
        return weight.asnumpy()

    def updater():
        return mx.optimizer.get_updater(_SVRGOptimizer("adam", param_idx2name=NAMES))

    weight = mx.nd.ones((2,))
    first, second = updater(), updater()
    step(first)
    states, held = first.get_states(), weight.copy()
    expected = step(first)
    weight[:] = held
    second.set_states(states)
    np.testing.assert_array_equal(step(second), expected)
    assert second.optimizer.default_opt.num_update == 2


def test_saved_optimizers_are_wrapped_again():
    first = mx.optimizer.get_updater(_SVRGOptimizer("adam", param_idx2name=NAMES))
    second = mx.optimizer.get_updater(_SVRGOptimizer("sgd", param_idx2name=NAMES))
    first(0, mx.nd.ones((2,)), mx.nd.ones((2,)))
    second.set_states(first.get_states(dump_optimizer=True))
    assert type(second.optimizer) is _SVRGOptimizer
    assert type(second.optimizer.default_opt).__name__ == "Adam"
    assert second.optimizer.idx2name == NAMES
