import pytest

from opforge import sym
from opforge.symbol.monitored_values import hooked_values, monitored_values


def names(symbol, with_inputs, with_hidden=True):
    shown = hooked_values(symbol.nodes(), with_inputs, with_hidden)
    return [(name, operator) for name, operator, _ in shown]


def test_outputs_in_order_and_no_variables():
    net = sym.exp(sym.sqrt(sym.var("x"), name="root"), name="e")
    assert names(net, False) == [("root_0", "sqrt"), ("e_0", "exp")]


def test_a_monitor_is_shown_a_variable_by_its_own_name_first():
    net = sym.exp(sym.sqrt(sym.var("x"), name="root"), name="e")
    shown = [name for name, _ in monitored_values(net.nodes(), True)]
    assert shown == ["x", "root_input0", "root_output", "e_input0", "e_output"]


@pytest.mark.plugins
def test_inputs_come_first_and_hidden_outputs_last():
    net = sym.BatchNorm(sym.var("x"), name="bn")
    assert [name for name, _ in names(net, True)] == [
        "bn_data",
        "bn_gamma",
        "bn_beta",
        "bn_moving_mean",
        "bn_moving_var",
        "bn_output",
        "bn_mean",
        "bn_var",
    ]
    assert [name for name, _ in names(net, False, with_hidden=False)] == ["bn_output"]


@pytest.mark.plugins
def test_composed_operators_show_visible_outputs_only():
    net = sym.LayerNorm(sym.var("x"), name="ln")
    node = net.edges[0][0]
    shown = names(net, False)
    assert len(shown) == (node.num_visible if node.operation.is_composed else node.num_outputs)
    assert shown[0] == ("ln_output", "LayerNorm")
