import json

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.gluon import nn

pytestmark = pytest.mark.plugins


def made(prefix=None, middle="relu"):
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(2), nn.HybridLambda(middle), nn.Dense(3))
    return net


def test_names_values_and_the_way_to_run_come_back(tmp_path):
    net = made("first_")
    net.initialize()
    x = nd.ones((1, 4))
    net.hybridize()
    expected = net(x).asnumpy()
    net.save(str(tmp_path / "net"))
    other = made("second_")
    other.load(str(tmp_path / "net"))
    assert list(other.collect_params()) == list(net.collect_params())
    assert {p.name for p in other.collect_params().values()} == set(net.collect_params())
    assert (other.name, other[0].prefix) == ("first", "first_dense0_")
    assert other._active
    assert np.array_equal(other(x).asnumpy(), expected)


def test_the_file_is_mxnets(tmp_path):
    net = made("first_")
    net.initialize()
    net(nd.ones((1, 4)))
    net.save(str(tmp_path / "net"))
    (top,) = json.loads((tmp_path / "net-model.json").read_text()).items()
    assert top[0] == "hybridsequential0"
    assert top[1]["children"] == {
        "first_dense0": "0",
        "first_hybridlambda0": "1",
        "first_dense1": "2",
    }
    assert top[1]["dense1"] == {"orig_name": "first_dense0", "hybridized": False, "children": {}}
    net.hybridize()
    net(nd.ones((1, 4)))
    net.save(str(tmp_path / "net"))
    content = json.loads((tmp_path / "net-model.json").read_text())["hybridsequential0"]
    assert mx.sym.load_json(content["symbol"]).list_outputs() == net(mx.sym.var("x")).list_outputs()
    assert [mx.sym.load_json(text).name for text in content["inputs"]] == ["data"]
    assert (content["in_format"], content["out_format"]) == ([0], 0)


def test_other_blocks_are_rejected(tmp_path):
    net = made()
    net.initialize()
    net(nd.ones((1, 4)))
    net.save(str(tmp_path / "net"))
    other = nn.HybridSequential()
    other.add(nn.Dense(2), nn.Dense(3))
    with pytest.raises(mx.MXNetError, match=r"no block 'dense2'.*it has dense1, dense3"):
        other.load(str(tmp_path / "net"))
    with pytest.raises(FileNotFoundError):
        other.load(str(tmp_path / "none"))
