import numpy as np
import pytest

import opforge as mx
from opforge import model, nd

PARAMS = {"a": nd.ones((2,)), "b": nd.ones((1,)) * 3}


def copies(devices=2):
    """Return parameters and gradients of 1 on several devices; the last parameter has none."""
    contexts = [mx.cpu(i) for i in range(devices)]
    params = [[array.copyto(ctx) for ctx in contexts] for array in PARAMS.values()]
    grads = [[nd.ones_like(array) for array in params[0]], [None] * devices]
    return params, grads


def values(arrays):
    return [[array.asnumpy().tolist() for array in row] for row in arrays]


def test_which_store(monkeypatch):
    monkeypatch.delenv("MXNET_UPDATE_ON_KVSTORE", raising=False)
    assert model._create_kvstore(None, 2, PARAMS) == (None, False)
    assert model._create_kvstore("device", 1, PARAMS) == (None, False)
    store, on_store = model._create_kvstore("local", 2, PARAMS)
    assert (store.type, on_store) == ("local", True)
    assert model._create_kvstore(store, 2, PARAMS) == (store, True)
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", "0")
    assert model._create_kvstore("local", 2, PARAMS)[1] is False
    with pytest.raises(TypeError, match="got int"):
        model._create_kvstore(3, 2, PARAMS)
    with pytest.raises(ValueError, match="dist_sync_p3"):
        model._create_kvstore("dist_sync_p3", 1, PARAMS)


def test_updates_in_the_store():
    params, grads = copies()
    store, on_store = model._create_kvstore("device", 2, PARAMS)
    store.set_optimizer(mx.optimizer.create("sgd", learning_rate=0.25))
    for array in params[0]:
        array[:] = 9
    model._initialize_kvstore(store, params, PARAMS, list(PARAMS), on_store)
    assert values(params) == [[[1, 1]] * 2, [[3]] * 2]
    model._update_params_on_kvstore(params, grads, store, list(PARAMS))
    assert values(params) == [[[0.5, 0.5]] * 2, [[3]] * 2]


def test_updates_beside_the_store():
    params, grads = copies()
    store, _ = model._create_kvstore("device", 2, PARAMS)
    model._initialize_kvstore(store, params, PARAMS, list(PARAMS), False)
    updater = mx.optimizer.get_updater(mx.optimizer.create("sgd", learning_rate=0.25, momentum=0.9))
    model._update_params(params, grads, updater, 2, store, list(PARAMS))
    assert values(params) == [[[0.5, 0.5]] * 2, [[3]] * 2]
    assert sorted(updater.states) == [0, 1]
    assert values(grads[:1]) == [[[2, 2]] * 2]


def test_updates_without_a_store():
    params, grads = copies(1)
    calls = []

    def updater(indices, gradients, weights):
        calls.append((indices, [np.sum(g.asnumpy()) for g in gradients]))

    model._update_params(params, grads, updater, 1)
    assert calls == [([0], [2.0])]
