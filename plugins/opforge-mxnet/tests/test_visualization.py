import itertools
import re
import sys

import pytest

from opforge import gluon, sym, visualization
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


def total(capsys):
    (line,) = (x for x in capsys.readouterr().out.splitlines() if x.startswith("Total params"))
    return int(line.removeprefix("Total params: "))


@pytest.mark.plugins
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_parameters_of_recurrent_layers_are_counted(kind, capsys):
    layer = getattr(gluon.rnn, kind)(4, num_layers=2, bidirectional=True, input_size=3)
    layer.initialize()
    print_summary(layer(sym.var("data")), {"data": (5, 1, 3)})
    assert total(capsys) == sum(p.data().size for p in layer.collect_params().values())


@pytest.mark.plugins
def test_states_and_lengths_of_a_recurrent_operator_are_data(capsys):
    net = sym.RNN(
        sym.var("data"),
        mode="lstm",
        state_size=4,
        num_layers=1,
        use_sequence_length=True,
        name="rnn",
    )
    print_summary(net, {"data": (5, 1, 3)})
    assert total(capsys) == 4 * 4 * (3 + 4) + 8 * 4


@pytest.mark.parametrize("shape", [{"data": (2, 3)}, None])
def test_parameters_of_any_operator_are_counted(shape, capsys):
    net = sym.broadcast_mul(sym.var("data"), sym.var("scale", shape=(3,)))
    print_summary(net, shape)
    assert total(capsys) == 3
    print_summary(sym.broadcast_mul(sym.var("scale", shape=(3,)), sym.var("x")), {"x": (2, 3)})
    assert total(capsys) == 3


def test_shared_parameters_are_counted_once(capsys):
    weight = sym.var("weight")
    hidden = sym.FullyConnected(sym.var("data"), weight, num_hidden=3, no_bias=True, name="a")
    out = sym.FullyConnected(hidden, weight, num_hidden=3, no_bias=True, name="b")
    print_summary(out, {"data": (2, 3)})
    lines = capsys.readouterr().out.splitlines()
    counts = [cells(line)[2] for line in lines if "FullyConnected" in line]
    assert counts == ["9", "0"]
    assert "Total params: 9" in lines


@pytest.mark.plugins
def test_labels_are_not_parameters(capsys):
    scores = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    print_summary(sym.pick(sym.log_softmax(scores), sym.var("target")), {"data": (2, 4)})
    assert total(capsys) == 15


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
def test_the_picture_hides_parameters_that_are_reshaped():
    pytest.importorskip("graphviz")
    layer = gluon.rnn.GRU(4, input_size=3)
    source = plot_network(layer(sym.var("data"))).source
    assert "_weight" not in source
    assert "_bias" not in source


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
