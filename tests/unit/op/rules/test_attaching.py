"""Added rules become fields of a declaration, unless it has its own."""

import pytest

from opforge.base.errors import PluginError
from opforge.op.registry.entry import CORE, Entry
from opforge.op.registry.table import TABLES
from opforge.op.rules.attaching import attach
from opforge.op.rules.table import register
from opforge.plugin_api import CustomOp, OperatorProp


class Plain(OperatorProp):
    """Without a rule of its own."""

    name = "fx_plain"
    saves = ()


class Ready(Plain):
    """With a gradient of its own, and an object that computes."""

    name = "fx_ready"

    def gradient(self, F, out_grad, in_data, out_data):
        return out_grad

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return CustomOp()


def attached(prop):
    attach(prop, Entry(prop.name, type(prop), "fx-owner"))
    return prop


def test_a_declaration_without_added_rules_is_left():
    prop = attached(Plain())
    assert prop.gradient is None and "gradient" not in vars(prop)


def test_a_rule_gets_the_declaration():
    register("keeps_order", "fx_plain")(lambda prop, in_shapes: (prop.name, in_shapes))
    assert attached(Plain()).keeps_order([(2,)]) == ("fx_plain", [(2,)])


def test_a_gradient_may_read_everything():
    register("gradient", "fx_plain")(lambda prop, F, out_grad, in_data, out_data: out_grad)
    assert attached(Plain()).saves == ("inputs", "outputs")
    assert Plain().saves == ()


def test_the_program_replaces_a_declared_rule():
    register("gradient", "fx_ready")(lambda prop, F, out_grad, in_data, out_data: [None])
    assert attached(Ready()).gradient(None, [1], [], []) == [None]


def test_rules_of_exporters_are_not_fields():
    register("fx_lines", "fx_plain")(lambda prop, inputs: "")
    assert not hasattr(attached(Plain()), "fx_lines")


def test_compute_needs_a_gradient():
    register("compute", "fx_ready")(lambda *arguments: None)
    attached(Ready())

    class Backward(Ready):
        """Differentiated by its object."""

        name = "fx_backward"
        gradient = None

    register("compute", "fx_backward")(lambda *arguments: None)
    with pytest.raises(PluginError, match="add a rule 'gradient:fx_backward'"):
        attached(Backward())
    Backward.differentiable = False
    attached(Backward())


def test_kernels_of_the_core_take_no_rules():
    class Sine(OperatorProp):
        """Sine."""

        name = "fx_sine"
        elementwise_kernel = ("unary", "sin")

    register("compute", "fx_sine")(lambda *arguments: None)
    with pytest.raises(PluginError, match="'fx_sine' is a single elementwise kernel of the core"):
        attached(Sine())


def test_operators_of_the_core_change_by_a_pin_or_the_program_only(monkeypatch):
    class Primitive(Plain):
        """One of the core."""

        name = "fx_primitive"

    rule = "gradient:fx_primitive"
    TABLES["rule"].add(Entry(rule, lambda prop, *arguments: "added", "fx-stranger", "1", "plugin"))
    entry = Entry("fx_primitive", Primitive, CORE)
    try:
        prop = Primitive()
        attach(prop, entry)
        assert prop.gradient is None
        monkeypatch.setenv("OPFORGE_PIN", f"{rule}=fx-stranger")
        attach(prop, entry)
        assert prop.gradient() == "added"
    finally:
        TABLES["rule"]._table.pop(rule)
