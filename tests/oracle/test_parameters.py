"""Array files, written by one library and read by the other."""

import numpy as np

from opforge import nd

from .programs.parameters import TYPES


def described(arrays):
    return {
        key: [x.dtype.__name__, list(x.shape), x.asnumpy().ravel().tolist()]
        for key, x in arrays.items()
    }


def test_params_both_ways(oracle, tmp_path):
    drawn = np.random.default_rng(1)
    own = {dtype: nd.array(drawn.integers(0, 99, (3, 2)), dtype=dtype) for dtype in TYPES}
    own["aux:running mean"] = nd.array([0.5])
    nd.save(str(tmp_path / "own.params"), own)
    nd.save(str(tmp_path / "own_list.params"), list(own.values()))
    answer = oracle("parameters", {"files": ["own.params", "own_list.params"]})
    assert answer["own.params"] == described(own)
    assert list(answer["own_list.params"].values()) == list(described(own).values())
    assert described(nd.load(str(tmp_path / "from_mxnet.params"))) == answer["written"]
    listed = nd.load(str(tmp_path / "list.params"))
    assert list(described(dict(enumerate(listed))).values()) == list(answer["written"].values())
