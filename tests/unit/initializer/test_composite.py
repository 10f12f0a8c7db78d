import pytest

from opforge import gluon, init, nd


def test_mixed_chooses_by_name():
    mixed = init.Mixed([".*bias", ".*"], ["zeros", init.Constant(2)])
    bias, other = nd.ones((2,)), nd.ones((2,))
    mixed("fc_bias", bias)
    mixed("fc_weight", other)
    assert bias.asnumpy().tolist() == [0, 0]
    assert other.asnumpy().tolist() == [2, 2]


def test_mixed_serves_a_network():
    params = gluon.ParameterDict("net_")
    params.get("weight", shape=(2,))
    params.get("bias", shape=(2,))
    params.initialize(init.Mixed([".*bias", ".*"], ["ones", init.Constant(2)]))
    assert params["net_weight"].data().asnumpy().tolist() == [2, 2]
    assert params["net_bias"].data().asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("pattern", ["bias", ".*bias", "fc_bias", "(fc|conv)_(bias|beta)$"])
def test_mixed_initializes_biases_that_a_pattern_names(pattern):
    mixed = init.Mixed([pattern, ".*"], [init.Constant(0.5), init.Constant(2)])
    params = gluon.ParameterDict("fc_")
    params.get("weight", shape=(2,), init="zeros")
    params.get("bias", shape=(2,), init="zeros")
    params.initialize(mixed)
    assert params["fc_weight"].data().asnumpy().tolist() == [0, 0]
    assert params["fc_bias"].data().asnumpy().tolist() == [0.5, 0.5]
    for name in ("fc_bias", init.InitDesc("fc_bias")):
        array = nd.zeros((2,))
        mixed(name, array)
        assert array.asnumpy().tolist() == [0.5, 0.5]


def test_mixed_leaves_other_biases_and_requested_initializers():
    mixed = init.Mixed(["bias", ".*"], [init.Constant(0.5), init.Constant(2)])
    requesting = init.InitDesc("fc_bias", {"__init__": init.Constant(3).dumps()})
    for mix, name, value in (
        (mixed, requesting, 3),
        (init.Mixed(["fc.*"], [init.Constant(2)]), "fc_bias", 0),
        (init.Mixed([".*"], [init.Constant(2)]), "bn_gamma", 1),
    ):
        array = nd.full((2,), 9)
        mix(name, array)
        assert array.asnumpy().tolist() == [value, value]


def test_mixed_errors():
    with pytest.raises(ValueError, match="2 patterns but 1 initializers"):
        init.Mixed(["a", "b"], ["zeros"])
    with pytest.raises(ValueError, match="did not match any pattern"):
        init.Mixed(["a"], ["zeros"])("b", nd.zeros((1,)))


def test_load_copies_and_falls_back(tmp_path):
    path = str(tmp_path / "arrays")
    nd.save(path, {"arg:w": nd.array([1, 2])})
    load = init.Load(path, default_init=init.Constant(9))
    found, missing = nd.zeros((2,)), nd.zeros((2,))
    load("w", found)
    load("b_weight", missing)
    assert found.asnumpy().tolist() == [1, 2]
    assert missing.asnumpy().tolist() == [9, 9]


def test_load_errors():
    load = init.Load({"w": nd.array([1, 2])})
    with pytest.raises(ValueError, match="Shape mismatch, target"):
        load("w", nd.zeros((3,)))
    with pytest.raises(ValueError, match="no default Initializer"):
        load("x", nd.zeros((3,)))
