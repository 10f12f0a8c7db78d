"""The table of a network's layers."""

import numpy as np
import pytest
from opforge_estimator.summary import summary

import opforge
from opforge import autograd, gluon, nd
from opforge.gluon import nn


def initialized(net):
    net.initialize()
    return net


def cells(table):
    return [row.cells() for row in table.rows]


def test_layers_are_nested_with_shapes_parameters_and_multiply_adds():
    net = nn.HybridSequential(nn.Conv2D(4, 3), nn.BatchNorm(), nn.HybridSequential(nn.Dense(5)))
    table = opforge.summary(initialized(net), (2, 3, 8, 8))
    assert cells(table) == [
        ("HybridSequential", "(2, 5)", "-", "-"),
        ("  0: Conv2D", "(2, 4, 6, 6)", "112", f"{2 * 4 * 36 * 27:,}"),
        ("  1: BatchNorm", "(2, 4, 6, 6)", "16", "-"),
        ("  2: HybridSequential", "(2, 5)", "-", "-"),
        ("    0: Dense", "(2, 5)", "725", f"{2 * 5 * 144:,}"),
    ]
    assert (table.total_params, table.trainable_params) == (853, 845)
    assert table.non_trainable_params == 8
    assert table.mult_adds == 2 * 4 * 36 * 27 + 2 * 5 * 144
    assert (table.input_bytes, table.param_bytes) == (4 * 2 * 3 * 64, 4 * 853)
    assert table.output_bytes == 4 * (2 * 2 * 4 * 36 + 2 * 5)
    assert table.total_bytes == table.input_bytes + table.param_bytes + table.output_bytes


def test_the_text_and_the_notebook_show_rows_and_totals():
    table = summary(initialized(nn.HybridSequential(nn.Dense(2))), (1000, 3))
    assert str(table).splitlines()[3] == "  0: Dense        (1000, 2)              8          6,000"
    assert "Memory of inputs: 0.012 MB" in str(table)
    assert repr(table) == str(table)
    page = table._repr_html_()
    assert page.count("<tr>") == 3
    assert "0: Dense" in page and "6,000" in page and "Parameters: 8<br>" in page


@pytest.mark.parametrize(
    "given",
    [
        (4, 3),
        [(4, 3)],
        nd.zeros((4, 3)),
        np.zeros((4, 3), "float32"),
        (nd.zeros((4, 3)),),
    ],
    ids=["shape", "shapes", "array", "numpy", "arrays"],
)
def test_inputs_are_arrays_or_shapes(given):
    assert summary(initialized(nn.Dense(2)), given).rows[0].output_shape == (4, 2)


def test_several_inputs_and_outputs_in_lists():
    net = nn.HybridLambda(lambda F, x, y: (F.dot(x, y), [y]))
    table = summary(net, [(4, 3), (3, 2)])
    assert table.rows[0].output_shape == [(4, 2), [(3, 2)]]
    assert table.mult_adds == 24
    cell = initialized(gluon.rnn.LSTMCell(7))
    table = summary(cell, [(2, 5), [(2, 7), (2, 7)]])
    assert table.rows[0].output_shape == [(2, 7), [(2, 7), (2, 7)]]
    assert table.mult_adds == 2 * 28 * (5 + 7)


def test_the_type_of_inputs_that_are_given_as_shapes():
    net = initialized(nn.HybridSequential(nn.Embedding(10, 4)))
    assert summary(net, (2, 3), dtype="int32").rows[0].output_shape == (2, 3, 4)
    net.cast("float16")
    table = summary(net, (2, 3))
    assert (table.param_bytes, table.output_bytes) == (2 * 40, 2 * 24)


def test_hybridized_networks_keep_their_graph():
    net = initialized(nn.HybridSequential(nn.Dense(4), nn.Dense(2)))
    plain = summary(net, (2, 3))
    net.hybridize()
    expected = net(nd.ones((2, 3))).asnumpy()
    graph = net._graph
    assert str(summary(net, (2, 3))) == str(plain)
    assert net._active and net[0]._active and net._graph is graph
    np.testing.assert_array_equal(net(nd.ones((2, 3))).asnumpy(), expected)


def test_nothing_stays_behind():
    net = initialized(nn.HybridSequential(nn.BatchNorm(), nn.Dense(2)))
    net(nd.ones((2, 3)))
    before = net[0].running_mean.data().asnumpy()
    with autograd.record():
        summary(net, (2, 3))
        assert autograd.is_training() and autograd.is_recording()
    np.testing.assert_array_equal(net[0].running_mean.data().asnumpy(), before)
    assert not any(b._forward_hooks or b._forward_pre_hooks for b in [net, *net])


def test_hooks_are_removed_after_an_error():
    net = initialized(nn.HybridSequential(nn.Dense(2, in_units=3)))
    net.hybridize()
    with pytest.raises(opforge.OpforgeError):
        summary(net, (2, 4))
    assert net._active
    assert not any(b._forward_hooks or b._forward_pre_hooks for b in [net, *net])


def test_shared_parameters_are_counted_once():
    first = nn.Dense(3, in_units=3)
    net = initialized(nn.HybridSequential(first, nn.Dense(3, in_units=3, params=first.params)))
    table = summary(net, (1, 3))
    assert table.total_params == 12
    assert [row.params for row in table.rows] == [0, 12, 0]
    assert cells(table)[2][2] == "shared"
    assert table.mult_adds == 18


def test_a_block_that_is_called_several_times_has_one_row():
    class Twice(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.layer = nn.Dense(3)

        def hybrid_forward(self, F, x):
            return self.layer(self.layer(x))

    table = summary(initialized(Twice()), (2, 3))
    assert cells(table)[1] == ("  layer: Dense x2", "(2, 3)", "12", "36")
    assert (table.total_params, table.mult_adds) == (12, 36)


def test_recurrent_layers():
    table = summary(initialized(gluon.rnn.LSTM(7, 2, bidirectional=True)), (3, 2, 5))
    weights = 2 * 28 * (5 + 7) + 2 * 28 * (14 + 7)
    assert table.rows[0].output_shape == (3, 2, 14)
    assert table.mult_adds == 3 * 2 * weights
    assert table.total_params == weights + 2 * 2 * 2 * 28


def test_code_that_has_no_graph_is_marked():
    class Net(gluon.Block):
        def __init__(self):
            super().__init__()
            self.layer = nn.Dense(3)

        def forward(self, x):
            return nd.dot(self.layer(x), nd.ones((3, 2)))

    table = summary(initialized(Net()), (2, 4))
    assert cells(table)[0] == ("Net", "(2, 2)", "-", "?")
    assert table.mult_adds == 24
    assert "?: the multiply-adds of a layer whose code has no graph are unknown" in str(table)


@pytest.mark.plugins
def test_a_residual_network_has_the_published_numbers():
    net = initialized(gluon.model_zoo.get_model("resnet18_v1"))
    table = summary(net, (1, 3, 224, 224))
    assert (table.trainable_params, table.mult_adds) == (11_689_512, 1_814_073_344)


def test_errors_name_the_value():
    with pytest.raises(TypeError, match=r"summary needs a block such as .*, got int"):
        summary(3, (1, 2))
    with pytest.raises(TypeError, match=r"an array or a shape such as \(1, 3\), got 'x'"):
        summary(initialized(nn.Dense(2)), "x")
    with pytest.raises(RuntimeError, match="has not been initialized"):
        summary(nn.Dense(2), (1, 3))
