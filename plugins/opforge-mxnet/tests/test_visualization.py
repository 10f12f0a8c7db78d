import itertools
import re
import sys

import pytest

from opforge import sym, visualization
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.visualization import plot_network, print_summary


@pytest.fixture
def net():
    hidden = sym.FullyConnected(sym.var("data"), num_hidden=128, name="fc1")
    hidden = sym.Activation(hidden, act_type="relu", name="relu1")
    both = sym.concat(hidden, sym.BatchNorm(hidden, name="bn"), name="both")
    scores = sym.FullyConnected(both, num_hidden=10, name="fc2", no_bias=True)
    return sym.SoftmaxOutput(scores, name="softmax")


def cells(line, ends=(0, 52, 76, 88, 120)):
    return [line[a:b].strip() for a, b in itertools.pairwise(ends)]


@pytest.mark.plugins
def test_the_summary_is_mxnets_table(net, capsys):
    print_summary(net, shape={"data": (64, 784)})
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) == 120 for line in lines if not line.startswith("Total"))
    rows = [cells(line) for line in lines if set(line) not in ({"_"}, {"="})]
    assert rows == [
        ["Layer (type)", "Output Shape", "Param #", "Previous Layer"],
        ["data(null)", "784", "0", ""],
        ["fc1(FullyConnected)", "128", "100480", "data"],
        ["relu1(Activation)", "128", "0", "fc1"],
        ["bn(BatchNorm)", "128", "256", "relu1"],
        ["both(Concat)", "256", "0", "relu1"],
        ["", "", "", "bn"],
        ["fc2(FullyConnected)", "10", "2560", "both"],
        ["softmax(SoftmaxOutput)", "10", "0", "fc2"],
        ["Total params: 103296", "", "", ""],
    ]


@pytest.mark.plugins
def test_without_shapes_there_is_a_table_without_them(net, capsys):
    print_summary(net)
    out = capsys.readouterr().out
    assert "fc1(FullyConnected)" in out
    assert "784" not in out


def test_other_widths_and_several_outputs(capsys):
    halves = sym.SliceChannel(sym.var("x"), num_outputs=2, name="halves")
    print_summary(halves[1] + 1, {"x": (4, 6)}, line_length=80, positions=[40, 60, 70, 80])
    lines = capsys.readouterr().out.splitlines()
    assert cells(lines[5], (0, 40, 60, 70, 80)) == ["halves(SliceChannel)", "3", "0", "x"]


@pytest.mark.plugins
def test_print_summary_rejects_non_symbols_and_incomplete_shapes(net):
    with pytest.raises(TypeError, match="symbol must be Symbol, got int"):
        print_summary(3)
    with (
        pytest.warns(UserWarning, match="Cannot decide shape"),
        pytest.raises(ValueError, match="Input shape is incomplete"),
    ):
        print_summary(net, shape={"softmax_label": (3,)})


@pytest.mark.plugins
def test_the_picture_shows_layers_and_hides_parameters(net):
    pytest.importorskip("graphviz")
    source = plot_network(net, title="mine", shape={"data": (64, 784)}).source
    assert source.startswith("digraph mine {")
    assert 'label="FullyConnected\n128"' in source
    assert 'label="Activation\nrelu"' in source
    assert "fc1 -> data [arrowtail=open dir=back label=784]" in source
    assert "softmax -> softmax_label" in source
    assert "weight" not in source
    assert "moving_mean" not in source
    whole = plot_network(net, hide_weights=False, node_attrs={"color": "red"}).source
    assert "bn -> bn_moving_mean" in whole
    assert "color=red" in whole


@pytest.mark.plugins
def test_colours_follow_the_category(net):
    pytest.importorskip("graphviz")
    source = plot_network(net).source
    expected = {
        "data": "#8dd3c7",  # no operator
        "fc1": "#fb8072",  # linear
        "relu1": "#ffffb3",  # activation
        "bn": "#bebada",  # normalization
        "softmax": "#b3de69",  # loss
    }
    for name, colour in expected.items():
        assert re.search(rf'^\t{name} \[[^]]*fillcolor="{colour}"', source, re.M), name


def test_an_operator_of_any_plugin_has_the_colour_of_its_category(clean_registry):
    pytest.importorskip("graphviz")

    class Halves(OperatorProp):
        """Give each neighbour the mean of two."""

        name = "halves"
        category = "pooling"
        size = Attribute(int, doc="How many neighbours.")

    registry.register_operator(Halves)
    source = plot_network(sym.halves(sym.var("x"), size=2, name="h")).source
    assert 'label="halves\n2"' in source
    assert 'fillcolor="#80b1d3"' in source


@pytest.mark.plugins
def test_custom_operators_are_shown_by_their_type():
    pytest.importorskip("graphviz")
    source = plot_network(sym.Custom(sym.var("x"), op_type="softmax", name="c")).source
    assert "label=softmax" in source


@pytest.mark.plugins
def test_without_graphviz_the_error_names_the_extra(net, monkeypatch):
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(ImportError, match=r"pip install 'opforge\[viz\]'"):
        plot_network(net)


def test_viz_is_the_same_module():
    import opforge

    assert opforge.viz is visualization
