import logging

import numpy as np
import pytest

from opforge import checkpoint, nd, sym
from opforge.base.errors import OpforgeError


def test_parameters_come_back(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    prefix = str(tmp_path / "net")
    args = {"fc:weight": nd.array([[1, 2]]), "fc_bias": nd.array([3])}
    checkpoint.save_checkpoint(prefix, 7, None, args, {"mean": nd.array([4], dtype="float64")})
    assert caplog.messages == [f'Saved checkpoint to "{prefix}-0007.params"']
    assert [p.name for p in tmp_path.iterdir()] == ["net-0007.params"]
    arguments, states = checkpoint.load_params(prefix, 7)
    assert {n: a.asnumpy().tolist() for n, a in arguments.items()} == {
        "fc:weight": [[1, 2]],
        "fc_bias": [3],
    }
    assert list(states) == ["mean"] and states["mean"].dtype is np.float64
    assert set(nd.load(f"{prefix}-0007.params")) == {"arg:fc:weight", "arg:fc_bias", "aux:mean"}


def test_symbol_is_saved_beside_them(tmp_path):
    prefix = str(tmp_path / "net")
    net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    checkpoint.save_checkpoint(prefix, 12, net, {"fc_bias": nd.array([1, 2])}, {})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net-0012.params", "net-symbol.json"]
    loaded, arguments, states = checkpoint.load_checkpoint(prefix, 12)
    assert loaded.list_arguments() == ["data", "fc_weight", "fc_bias"]
    assert arguments["fc_bias"].asnumpy().tolist() == [1, 2] and states == {}


def test_parameters_in_a_file_of_any_name(tmp_path):
    path = str(tmp_path / "some")
    checkpoint.write_params(path, {"a": nd.array([1])}, {"b": nd.array([2])})
    (arguments, states) = checkpoint.read_params(path)
    assert (arguments["a"].asscalar(), states["b"].asscalar()) == (1, 2)


def test_empty_file(tmp_path, caplog):
    nd.save(str(tmp_path / "net-0001.params"), {})
    assert checkpoint.load_params(str(tmp_path / "net"), 1) == ({}, {})
    assert "is empty" in caplog.messages[0]


@pytest.mark.parametrize(
    ("saved", "shown"), [({"w": 1}, "the array name 'w'"), ([1], "arrays without names")]
)
def test_other_files_are_rejected(tmp_path, saved, shown):
    arrays = {k: nd.ones((1,)) for k in saved} if isinstance(saved, dict) else [nd.ones((1,))]
    nd.save(str(tmp_path / "net-0001.params"), arrays)
    with pytest.raises(OpforgeError, match=f"is not a checkpoint: got {shown}; expected"):
        checkpoint.load_params(str(tmp_path / "net"), 1)
    with pytest.raises(FileNotFoundError):
        checkpoint.load_params(str(tmp_path / "net"), 2)
