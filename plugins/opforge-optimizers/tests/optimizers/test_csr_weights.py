import numpy as np
import pytest

from opforge import nd, optimizer

NAMES = [
    *("Adamax", "DCASGD", "FTML", "Ftrl", "LAMB", "LANS", "LARS", "LBSGD", "Nadam", "SGLD"),
    *("Signum", "AdamW"),
]


@pytest.mark.parametrize("name", NAMES)
def test_csr_weights_follow_dense_ones(name):
    values = np.random.default_rng(1).normal(size=(3, 5))
    values[values < 0] = 0
    results = []
    for stype in ("csr", "default"):
        nd.random.seed(1)
        updater = optimizer.get_updater(optimizer.create(name, learning_rate=0.1))
        weight = nd.array(values).tostype(stype)
        for step in range(3):
            updater(0, nd.array(np.eye(3, 5, step) + 0.5).tostype(stype), weight)
        assert weight.stype == stype
        results.append(weight.asnumpy())
    np.testing.assert_allclose(*results, rtol=1e-6)
    assert (results[0] != values.astype("float32")).any()


@pytest.mark.parametrize("name", ["LAMB", "LANS", "LARS"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_lists_update_several_weights(name, dtype):
    results = []
    for in_lists in (True, False):
        made = optimizer.create(name, learning_rate=0.1, multi_precision=True)
        weights = [nd.ones(shape, dtype=dtype) for shape in ((2, 3), (4,))]
        states = [made.create_state_multi_precision(i, w) for i, w in enumerate(weights)]
        for _ in range(2):
            grads = [nd.arange(w.size, dtype=dtype).reshape(w.shape) for w in weights]
            if in_lists:
                made.update_multi_precision([0, 1], weights, grads, states)
            else:
                for one in zip((0, 1), weights, grads, states, strict=True):
                    made.update_multi_precision(*one)
        results.append([w.asnumpy() for w in weights])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)
