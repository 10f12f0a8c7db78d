"""Rules that plugins and programs add to operators of others: lookup, conflicts, effects."""

import sys

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd, plugin, sym
from opforge.base.errors import AmbiguousOperatorError, PluginError
from opforge.plugin_api import rules
from opforge.std import register as register_core


def slope(function, x):
    """Return the gradient of the sum of `function` at `x`."""
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward()
    return x.grad.asnumpy().tolist()


def test_a_stranger_computes_and_differentiates_an_operator(installed):
    installed("fx_good", "fx_rules")
    x = nd.array([1.0, -3.0])
    assert nd.fx_scale(x, factor=4).asnumpy().tolist() == [4, -12]
    assert slope(lambda x: nd.fx_scale(x, factor=4), x) == [4, 4]


def test_a_stranger_computes_with_sparse_arrays(installed):
    installed("fx_good", "fx_rules")
    register_core()
    x = nd.array([[0, 2.0], [3, 0]]).tostype("csr")
    scaled = nd.fx_scale(x, factor=4)
    assert scaled.stype == "csr" and scaled.asnumpy().tolist() == [[0, 8], [12, 0]]
    rows = x.tostype("default").tostype("row_sparse")
    assert nd.fx_scale(rows, factor=4).stype == "default", "the rule returned NotImplemented"


def test_graphs_use_added_rules(installed):
    installed("fx_good", "fx_rules")
    register_core()
    graph = sym.fx_scale(sym.Variable("x"), factor=3)
    bound = graph.bind(mx.cpu(), {"x": nd.array([2.0, 5.0])}, {"x": nd.zeros(2)})
    assert bound.forward(is_train=True)[0].asnumpy().tolist() == [6, 15]
    bound.backward(nd.array([1.0, 2.0]))
    assert bound.grad_dict["x"].asnumpy().tolist() == [3, 6]


def test_listing_loads_nothing(installed):
    installed("fx_good", "fx_rules")
    names = [name for name in rules.names() if ":fx_" in name]
    assert names == [
        "compute:fx_scale",
        "compute_sparse:fx_scale",
        "fx_lines:fx_ruled",
        "gradient:fx_scale",
    ]
    assert rules.supported("fx_lines") == ["fx_ruled"]
    kinds = ("compute", "compute_sparse", "gradient")
    assert rules.providers("fx_scale") == {kind: ["fx-rules"] for kind in kinds}
    assert rules.find("fx_lines", "fx_scale") is None
    assert "fx_rules" not in sys.modules


def test_loading_a_rule_keeps_the_functions_of_operators(installed):
    installed("fx_good", "fx_rules")
    register_core()
    kept = nd.dot, nd.fx_scale, sym.dot
    assert rules.find("fx_lines", "fx_ruled") is not None
    assert "fx_rules" in sys.modules
    assert (nd.dot, nd.fx_scale, sym.dot) == kept
    rules.register("fx_lines", "dot")(len)
    assert nd.dot is not kept[0], "a rule that was not announced may change functions"


def test_two_strangers_are_ambiguous_without_a_pin(installed, monkeypatch):
    installed("fx_good", "fx_rules", "fx_rules_rival")
    with pytest.raises(AmbiguousOperatorError, match=r"rule 'compute:fx_scale' .*fx-rules-rival"):
        nd.fx_scale(nd.ones(1))
    monkeypatch.setenv("OPFORGE_PIN", "compute:fx_scale=fx-rules-rival")
    plugin.refresh()
    assert nd.fx_scale(nd.ones(1), factor=4).asscalar() == 8
    monkeypatch.setenv("OPFORGE_PIN", "compute:fx_scale=fx-rules")
    plugin.refresh()
    assert nd.fx_scale(nd.ones(1), factor=4).asscalar() == 4


def test_the_operators_own_distribution_goes_before_strangers(installed, monkeypatch):
    installed("fx_rules", "fx_rules_rival")
    assert rules.find("fx_lines", "fx_ruled")(None, ["x"]) == "own x"
    assert nd.fx_ruled(nd.ones(1)).asscalar() == 1, "the declaration's own rule"
    monkeypatch.setenv(
        "OPFORGE_PIN", "fx_lines:fx_ruled=fx-rules-rival,compose:fx_ruled=fx-rules-rival"
    )
    plugin.refresh()
    assert rules.find("fx_lines", "fx_ruled")(None, ["x"]) == "rival x"
    assert nd.fx_ruled(nd.ones(1)).asscalar() == -1
    monkeypatch.setenv("OPFORGE_PIN", "compose:fx_ruled=fx_rules")
    plugin.refresh()
    assert nd.fx_ruled(nd.ones(1)).asscalar() == 1, "pinned to the owner"


def test_a_pin_to_a_distribution_without_the_rule(installed, monkeypatch):
    installed("fx_good", "fx_rules")
    monkeypatch.setenv("OPFORGE_PIN", "compute:fx_scale=fx-good")
    plugin.refresh()
    with pytest.raises(PluginError, match=r"'compute:fx_scale'.*fx-good"):
        rules.find("compute", "fx_scale")


def test_the_programs_rules_go_before_all_and_take_effect_at_once(installed):
    installed("fx_good", "fx_rules")
    assert nd.fx_scale(nd.ones(1)).asscalar() == 2

    @rules.register("compute", "fx_scale")
    def compute(prop, in_data, out_data, req, is_train):
        out_data[0][:] = in_data[0] + 10

    assert nd.fx_scale(nd.ones(1)).asscalar() == 11
    assert rules.providers("fx_scale")["compute"] == ["", "fx-rules"]
    with pytest.raises(TypeError, match="rule 'compute:fx_scale': 3 is not callable"):
        rules.register("compute", "fx_scale")(3)


def test_a_compute_rule_without_a_gradient_is_rejected(installed):
    installed("fx_good")
    rules.register("compute", "fx_scale")(lambda *arguments: None)
    with pytest.raises(PluginError, match="add a rule 'gradient:fx_scale'"):
        nd.fx_scale(nd.ones(1))


def test_rules_of_operators_that_are_not_installed_are_found(installed):
    installed("fx_rules")
    assert rules.find("compute", "fx_scale").__name__ == "compute_scale"


def test_ten_thousand_calls_with_an_added_rule(installed):
    installed("fx_good", "fx_rules")
    x = nd.array(np.arange(5.0))
    for factor in range(1, 10_001):
        result = nd.fx_scale(x, factor=1 + factor % 7)
    assert result.asnumpy().tolist() == [0, 5, 10, 15, 20]
