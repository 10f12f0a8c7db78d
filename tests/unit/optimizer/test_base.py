import pickle

import numpy as np
import pytest

from opforge import lr_scheduler, nd, optimizer


def test_create_and_register():
    assert isinstance(optimizer.create("SGD", momentum=0.5), optimizer.SGD)
    assert isinstance(optimizer.Optimizer.create_optimizer("adam"), optimizer.Adam)
    with pytest.raises(ValueError, match=r"Cannot find optimizer adm\. Did you mean 'adam'"):
        optimizer.create("adm")

    @optimizer.Optimizer.register
    class Fixed(optimizer.Optimizer):
        def update(self, index, weight, grad, state):
            weight -= 1

    weight = nd.array([3])
    optimizer.get_updater(optimizer.create("fixed"))(0, nd.array([0]), weight)
    assert weight.asscalar() == 2


def test_the_base_has_no_rule():
    with pytest.raises(NotImplementedError, match="Optimizer must define update"):
        optimizer.Optimizer().update(0, nd.ones((1,)), nd.ones((1,)), None)


def test_rates():
    made = optimizer.SGD(learning_rate=0.5)
    assert made.learning_rate == 0.5
    made.set_learning_rate(0.25)
    made.set_lr_mult({0: 2.0})
    made.set_wd_mult({1: 0.0})
    made.wd = 0.1
    assert made._get_lrs([0, 1]) == [0.5, 0.25]
    assert made._get_wds([0, 1]) == [0.1, 0.0]


def test_names_decide_on_decay():
    made = optimizer.SGD(wd=0.1, param_idx2name={0: "fc_weight", 1: "fc_bias", 2: "bn_gamma"})
    assert made._get_wds([0, 1, 2]) == [0.1, 0.0, 0.1]
    made.set_lr_mult({"fc_bias": 3.0})
    assert made._get_lrs([0, 1]) == pytest.approx([0.01, 0.03])


def test_scheduler():
    schedule = lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=8.0)
    made = optimizer.SGD(lr_scheduler=schedule)
    weight, updater = nd.array([0.0]), None
    updater = optimizer.get_updater(made)
    for expected in (-8, -12, -14):
        updater(0, nd.array([1.0]), weight)
        assert weight.asscalar() == expected
    with pytest.raises(UserWarning):
        made.set_learning_rate(1)
    with pytest.warns(UserWarning, match="has been overwritten by ``learning_rate``"):
        made = optimizer.SGD(learning_rate=5.0, lr_scheduler=schedule)
    assert schedule.base_lr == 5.0


def test_counts_start_where_told_and_are_per_device():
    made = optimizer.SGD(begin_num_update=10)
    made._update_count(0)
    made._set_current_context(1)
    made._update_count([0, 1])
    assert made.num_update == 11
    assert made._all_index_update_counts == {0: {0: 11}, 1: {0: 11, 1: 11}}


def test_pickle_leaves_the_parameters_out():
    made = optimizer.SGD(learning_rate=0.5, momentum=0.9, param_dict={0: object()})
    made._update_count(0)
    again = pickle.loads(pickle.dumps(made))
    assert (again.lr, again.momentum, again.num_update) == (0.5, 0.9, 1)
    assert again.param_dict == {}
    again._update_count(0)
    assert again.num_update == 2


def test_float16_through_a_master_copy():
    weight = nd.ones((1,), dtype="float16")
    updater = optimizer.get_updater(optimizer.SGD(learning_rate=1e-4, multi_precision=True))
    for _ in range(10):
        updater(0, nd.ones((1,), dtype="float16"), weight)
    assert weight.asscalar() == np.float16(1 - 1e-3)
    with pytest.warns(UserWarning, match="Accumulating with float16"):
        optimizer.get_updater(optimizer.SGD())(0, weight, weight.copy())


def test_symbols_marks():
    class Symbol:
        def attr_dict(self):
            return {"w": {"__lr_mult__": "0.5", "__wd_mult__": "0"}}

        def list_arguments(self):
            return ["data", "w"]

    made = optimizer.SGD(sym=Symbol(), param_idx2name={0: "w"}, wd=0.1, learning_rate=1.0)
    assert made._get_lr(0) == 0.5
    assert made._get_wd(0) == 0


@pytest.mark.parametrize("name", ["sgd", "adam", "rmsprop"])
def test_unknown_settings_suggest_their_name(name):
    with pytest.raises(
        TypeError, match=r"'lr' \(it is called learning_rate here\); expected a subset of .*wd"
    ):
        optimizer.create(name, lr=0.1)
    with pytest.raises(TypeError, match=r"'clip_grad' \(it is called clip_gradient here\)"):
        optimizer.create(name, clip_grad=0.1)
    with pytest.raises(TypeError, match=r"'zzz'; expected"):
        optimizer.create(name, zzz=0.1)


class OwnRate(optimizer.Adam):
    def _get_lr(self, index):
        return {0: 0.5, 1: 0.25}[index]

    def _get_wd(self, index):
        return 0.125


class OwnRates(optimizer.SGD):
    def _get_lrs(self, indices):
        return [0.5 * (index + 1) for index in indices]

    def _get_wds(self, indices):
        return [0.25] * len(indices)


@pytest.mark.parametrize("together", [False, True])
def test_programs_override_the_rate_or_rates_of_weights(together):
    for own, rates, decay in ((OwnRate(), [0.5, 0.25], 0.125), (OwnRates(), [0.5, 1.0], 0.25)):
        weights = [nd.array([1.0, -2.0]), nd.array([3.0])]
        expected = []
        for weight, rate in zip(weights, rates, strict=True):
            plain = type(own).__base__(learning_rate=rate, wd=decay)
            copy = weight.copy()
            plain.update(0, copy, nd.ones_like(copy), plain.create_state(0, copy))
            expected.append(copy.asnumpy())
        states = [own.create_state(i, w) for i, w in enumerate(weights)]
        grads = [nd.ones_like(w) for w in weights]
        if together:
            own.update([0, 1], weights, grads, states)
        else:
            for one in zip([0, 1], weights, grads, states, strict=True):
                own.update(*one)
        for weight, one in zip(weights, expected, strict=True):
            assert np.array_equal(weight.asnumpy(), one)
