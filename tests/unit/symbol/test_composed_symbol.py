import copy

import pytest

from opforge import sym
from opforge.base.errors import OpforgeError
from opforge.symbol.variable import typed_variable


@pytest.fixture
def net():
    layer = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc1")
    return sym.Activation(layer, act_type="relu", name="act")


@pytest.fixture
def other():
    return sym.FullyConnected(sym.var("z"), num_hidden=4, name="fc0")


@pytest.mark.plugins
def test_symbols_replace_variables(net, other):
    composed = net(data=other)
    assert composed.list_arguments() == ["z", "fc0_weight", "fc0_bias", "fc1_weight", "fc1_bias"]
    assert net.list_arguments() == ["data", "fc1_weight", "fc1_bias"]
    assert net(other).list_arguments() == composed.list_arguments()
    assert net(fc1_weight=other).list_arguments() == [
        "data",
        "z",
        "fc0_weight",
        "fc0_bias",
        "fc1_bias",
    ]
    assert composed.infer_shape(z=(2, 5))[1] == [(2, 3)]


@pytest.mark.plugins
def test_the_copy_may_have_another_name(net, other):
    assert net(data=other, name="mine").list_outputs() == ["mine_output"]
    assert net.list_outputs() == ["act_output"]


@pytest.mark.plugins
def test_without_arguments_it_is_a_copy(net):
    assert net().tojson() == net.tojson()
    assert net().edges[0][0] is not net.edges[0][0]


@pytest.mark.plugins
def test_all_outputs_of_a_group_are_composed(net, other):
    both = sym.Group([net, net * 2, sym.var("data")])
    assert both(data=other).list_outputs()[0] == "act_output"
    assert both(data=other).list_arguments()[0] == "z"
    assert both(data=other).list_outputs()[2] == "fc0_output"


@pytest.mark.plugins
def test_a_symbol_may_be_put_into_itself(net):
    twice = net(data=net)
    assert twice.list_arguments().count("fc1_weight") == 2
    assert twice.list_arguments()[0] == "data"
    twice._compose(data=twice)
    assert len(twice.nodes()) == 4 * len(net.nodes()) - 3


@pytest.mark.plugins
def test_composing_in_place_leaves_others_alone(net, other):
    user = net * 2
    net._compose(data=other)
    assert "z" in net.list_arguments()
    assert "z" not in user.list_arguments()


@pytest.mark.plugins
def test_compose_rejects_mismatched_arguments(net, other):
    with pytest.raises(OpforgeError, match="no variable 'foo' to replace; its variables are data"):
        net(foo=other)
    with pytest.raises(TypeError, match="Compose expect `Symbol` as arguments, got int for 'data'"):
        net(data=3)
    with pytest.raises(TypeError, match="either as positional or keyword arguments, not both"):
        net(other, fc1_weight=other)
    with pytest.raises(OpforgeError, match=r"has 3 arguments \(data, .*got 4"):
        net(other, other, other, other)
    halves = sym.SliceChannel(other, num_outputs=2, name="s")
    with pytest.raises(OpforgeError, match=r"2 outputs \(s_output0, s_output1\), expected one"):
        net(data=halves)
    assert net(data=halves[1]).list_arguments()[0] == "z"


@pytest.mark.plugins
def test_copies_are_deep(net):
    for made in (copy.copy(net), copy.deepcopy(net)):
        assert made.tojson() == net.tojson()
        made._set_attr(lr_mult="2")
        assert net.attr("lr_mult") is None
    pair = sym.Group([net, copy.copy(net)])
    assert pair.list_arguments() == net.list_arguments() * 2


def test_composition_infers_shapes_again():
    typed = sym.exp(typed_variable("x", (2, 3), 0))
    assert typed.shape == (2, 3)
    wider = typed(x=typed_variable("y", (5, 4), 0))
    assert (wider.shape, typed.shape) == ((5, 4), (2, 3))
    with pytest.raises(AttributeError, match="has no shape"):
        _ = typed(x=sym.var("y")).shape
