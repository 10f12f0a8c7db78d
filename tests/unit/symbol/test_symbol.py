import pytest

from opforge import Symbol, sym
from opforge.base.errors import AttributeValueError


@pytest.fixture
def net():
    layer = sym.FullyConnected(sym.var("data"), num_hidden=4, name="fc")
    return sym.BatchNorm(layer, name="bn")


@pytest.fixture
def parts(net):
    return sym.SliceChannel(net, num_outputs=2, name="s")


@pytest.mark.plugins
def test_names_of_inputs_and_outputs(net, parts):
    assert net.list_arguments() == ["data", "fc_weight", "fc_bias", "bn_gamma", "bn_beta"]
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert net.list_inputs() == net.list_arguments() + net.list_auxiliary_states()
    assert net.list_outputs() == ["bn_output"]
    assert parts.list_outputs() == ["s_output0", "s_output1"]
    assert sym.topk(net, ret_typ="both", name="t").list_outputs() == ["t_output0", "t_output1"]
    assert sym.SliceChannel(net, num_outputs=1, name="o").list_outputs() == ["o_output0"]
    assert sym.LayerNorm(net, output_mean_var=True, name="l").list_outputs() == [
        "l_output",
        "l_mean",
        "l_std",
    ]


@pytest.mark.plugins
def test_printed_forms(net, parts):
    assert repr(net) == "<Symbol bn>"
    assert repr(parts) == repr(parts[0]) == "<Symbol s>"
    pair = sym.Group([net, sym.var("y")])
    assert repr(pair) == "<Symbol group [bn, y]>"
    assert (net.name, parts.name, pair.name) == ("bn", "s", None)
    assert repr(sym.Group([net])) == "<Symbol bn>"


@pytest.mark.plugins
def test_choosing_outputs(net, parts):
    assert len(parts) == 2
    assert [part.list_outputs() for part in parts] == [["s_output0"], ["s_output1"]]
    assert parts["s_output1"].list_outputs() == parts[1].list_outputs() == ["s_output1"]
    assert parts[-1].list_outputs() == ["s_output1"]
    assert parts[0:1].list_outputs() == ["s_output0"]
    with pytest.raises(ValueError, match=r"no output named 's_output7'; its outputs are \['s_"):
        parts["s_output7"]
    with pytest.raises(IndexError, match=r"2 outputs \(s_output0, s_output1\); index 2"):
        parts[2]
    with pytest.raises(ValueError, match="2 outputs named 'bn_output'"):
        sym.Group([net, net])["bn_output"]


@pytest.mark.plugins
def test_internals_and_children(net):
    assert net.get_internals().list_outputs() == [
        "data",
        "fc_weight",
        "fc_bias",
        "fc_output",
        "bn_gamma",
        "bn_beta",
        "bn_moving_mean",
        "bn_moving_var",
        "bn_output",
    ]
    assert net.get_internals()["fc_output"].list_arguments() == ["data", "fc_weight", "fc_bias"]
    assert net.get_children().list_outputs()[:2] == ["fc_output", "bn_gamma"]
    assert sym.var("x").get_children() is None


@pytest.mark.plugins
def test_attributes(net):
    net._set_attr(lr_mult="2", __mood__="calm")
    assert net.list_attr() == {"__lr_mult__": "2", "lr_mult": "2", "__mood__": "calm"}
    assert net.attr("__mood__") == "calm"
    assert net.attr("lr_mult") == "2"
    assert net.attr("none") is None
    x = sym.var("x")
    x._set_attr(anything="1")
    assert x.attr_dict() == {"x": {"anything": "1"}}
    with pytest.raises(ValueError, match="Set Attr only accepts string values"):
        x._set_attr(a=1)
    with pytest.raises(AttributeValueError, match="use __eps__"):
        net._set_attr(eps="1")
    with pytest.raises(DeprecationWarning, match="use attr_dict"):
        net.list_attr(recursive=True)


def test_nodes_without_attributes_are_not_listed():
    assert sym.exp(sym.var("x")).attr_dict() == {}


def test_groups():
    x = sym.var("x")
    assert sym.Group([x, sym.Group([x, x])]).list_outputs() == ["x"] * 3
    assert sym.Group(sym.SliceChannel(x, num_outputs=2, name="s")).list_outputs() == [
        "s_output0",
        "s_output1",
    ]
    for wrong in ([], [1], [x, None]):
        with pytest.raises(TypeError, match="Expected a list of symbols as input"):
            sym.Group(wrong)
    with pytest.raises(TypeError, match="list of symbols as input, got int"):
        sym.Group(3)


def test_untyped_symbols_have_no_shape_and_dtype():
    x = sym.var("x")
    with pytest.raises(AttributeError, match="has no shape"):
        _ = x.shape
    with pytest.raises(AttributeError, match="has no dtype"):
        _ = x.dtype
    with pytest.raises(AttributeError, match="2 outputs, so its type is ambiguous"):
        _ = sym.Group([x, x]).type
    zeros = sym.zeros((2, 3))
    assert (zeros.shape, zeros.ndim, zeros.size) == ((2, 3), 2, 6)


def test_symbols_may_be_keys():
    x = sym.var("x")
    assert {x: 1}[x] == 1
    assert hash(x) == hash(Symbol(x.edges))
