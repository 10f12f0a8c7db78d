import numpy as np
import pytest

import opforge as mx
from opforge import gluon


def made_params():
    found = gluon.ParameterDict("block1_")
    found.get("w", shape=(5, 5))
    found.get("b", shape=(5,))
    return found


def test_mapping():
    params = made_params()
    assert list(params) == list(params.keys()) == ["block1_w", "block1_b"]
    assert [p.name for p in params.values()] == list(params)
    assert dict(params.items())["block1_w"] is params["block1_w"]
    assert "block1_w" in params
    assert "w" not in params
    assert len(params) == 2
    assert bool(gluon.ParameterDict())
    with pytest.raises(KeyError):
        params["w"]


def test_repr():
    params = made_params()
    line = "  Parameter block1_{} (shape={}, dtype=<class 'numpy.float32'>)\n"
    assert repr(params) == (
        "block1_ (\n" + line.format("w", "(5, 5)") + line.format("b", "(5,)") + ")"
    )
    assert repr(gluon.ParameterDict()) == "(\n\n)"


def test_get_returns_the_same_and_fills_shapes():
    params = made_params()
    assert params.get("w", shape=(5, 0), dtype="float32") is params["block1_w"]
    partial = params.get("u", shape=(0, 3))
    assert params.get("u", shape=(2, 0)) is partial
    assert partial.shape == (2, 3)
    assert params.get("u", init="ones").init == "ones"


@pytest.mark.parametrize("wish", [{"shape": (4, 5)}, {"grad_req": "null"}, {"dtype": "float64"}])
def test_get_rejects_contradictions(wish):
    params = made_params()
    with pytest.raises(
        AssertionError, match="Cannot retrieve Parameter 'block1_w' because desired"
    ):
        params.get("w", **wish)


def test_shared():
    params = made_params()
    child = gluon.ParameterDict("block1_", shared=params)
    assert child.get("w") is params["block1_w"]
    assert list(child) == ["block1_w"]


def test_constants():
    params = made_params()
    constant = params.get_constant("c", [1, 2])
    assert params.get_constant("c", np.array([1, 2])) is constant
    assert params.get_constant("c") is constant
    with pytest.raises(AssertionError, match="value doesn't match"):
        params.get_constant("c", [1, 3])
    with pytest.raises(AssertionError, match="not a constant"):
        params.get_constant("w", [1])
    with pytest.raises(KeyError, match="No constant named 'block1_x'"):
        params.get_constant("x")


def test_update():
    params = made_params()
    other = gluon.ParameterDict("other_")
    other.get("w", shape=(1,))
    params.update(other)
    params.update(params)
    assert list(params) == ["block1_w", "block1_b", "other_w"]
    clash = gluon.ParameterDict("block1_")
    clash.get("w")
    with pytest.raises(AssertionError, match="different Parameters with the same name 'block1_w'"):
        params.update(clash)


def test_initialize_and_attributes():
    params = made_params()
    params.initialize("ones", ctx=[mx.cpu(0), mx.cpu(1)])
    assert params["block1_b"].data(mx.cpu(1)).asnumpy().tolist() == [1] * 5
    assert params.list_ctx() == [mx.cpu(0), mx.cpu(1)]
    params.reset_ctx(mx.cpu(0))
    assert params.list_ctx() == [mx.cpu(0)]
    params.setattr("lr_mult", 0.5)
    assert {p.lr_mult for p in params.values()} == {0.5}
    params["block1_b"].grad()[:] = 4
    params.zero_grad()
    assert params["block1_b"].grad().asnumpy().sum() == 0


def test_verbose(caplog):
    params = made_params()
    with caplog.at_level("INFO"):
        params.initialize(verbose=True)
    assert "Initialized block1_w as Uniform" in caplog.text
