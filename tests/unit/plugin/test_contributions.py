"""Contributions of every kind are found, loaded, resolved and rejected by the same mechanism."""

import sys

import pytest

import opforge
from opforge import (
    exporter,
    init,
    io,
    kvstore,
    lr_scheduler,
    metric,
    nd,
    optimizer,
    plugin,
    subgraph,
)
from opforge.base.errors import AmbiguousOperatorError, OpforgeError
from opforge.gluon import data, loss, model_zoo
from opforge.op import rules
from opforge.op.registry.kinds import KINDS
from opforge.op.registry.table import TABLES


def found_rule(kind, operator):
    """Return an added rule, or raise an exception as the other kinds do."""
    rule = rules.find(kind, operator)
    if rule is None:
        raise ValueError(f"no rule {kind}:{operator}")
    return rule


#: Noun -> code with which a program gets the fake distribution's contribution.
USES = {
    "optimizer": lambda: optimizer.create("fxsign", learning_rate=0.5),
    "initializer": lambda: init.create("FxSevens"),
    "metric": lambda: metric.create("fxcount"),
    "kvstore": lambda: kvstore.create("fx_store"),
    "exporter": lambda: exporter.create("fx_lines"),
    "backend": lambda: subgraph.create("fx_backend"),
    "loss": lambda: loss.FxLoss(None, 0),
    "scheduler": lambda: lr_scheduler.FxHalving(),
    "iterator": lambda: io.FxIter(),
    "dataset": lambda: data.FxDataset(),
    "model": lambda: model_zoo.get_model("fx_net", classes=5),
    "device": lambda: TABLES["device"].lookup("fx_device").prop_class(),
    "module": lambda: opforge.fx_parts,
    "rule": lambda: found_rule("fx_lines", "relu"),
}


def test_each_kind_is_used_here():
    assert {"operator", "layer", *USES} == set(KINDS)


@pytest.mark.parametrize("noun", USES)
def test_a_plugin_brings_it(installed, noun):
    installed("fx_kinds")
    assert len(TABLES[noun].kind.group) > len("opforge.")
    assert [s.state for s in plugin.states() if s.provider.name == "fx-kinds"] == ["not loaded"]
    assert any(name.lower().startswith("fx") for name in TABLES[noun].names())
    assert "fx_kinds" not in sys.modules, "listing must not import"
    made = USES[noun]()
    is_function = noun == "rule"
    own = made.__module__ if is_function else getattr(made, "__name__", type(made).__module__)
    assert own in ("fx_kinds", "fx_parts") or made.classes == 5
    assert plugin.states()[0].problems == []


@pytest.mark.parametrize("noun", USES)
def test_without_the_plugin_the_name_is_not_there(installed, noun):
    installed()
    with pytest.raises((ValueError, OpforgeError), match=r"(?i)fx"):
        USES[noun]()


def test_classes_are_attributes_of_their_modules(installed):
    installed("fx_kinds")
    assert optimizer.FxSign.__name__ == "FxSign"
    assert "FxSign" in dir(optimizer)
    with pytest.raises(AttributeError, match="FxSigh"):
        _ = optimizer.FxSigh


def test_names_that_two_have_are_not_settled_by_order(installed, monkeypatch):
    installed("fx_kinds", "fx_kinds_rival")
    with pytest.raises(AmbiguousOperatorError, match="optimizer 'fxsign' is provided by fx-kinds"):
        optimizer.create("fxsign")
    assert type(optimizer.create("fx-kinds-rival::fxsign")).__module__ == "fx_kinds_rival"
    monkeypatch.setenv("OPFORGE_PIN", "FxSign=fx-kinds")
    plugin.refresh()
    assert type(optimizer.create("fxsign", learning_rate=1)).__module__ == "fx_kinds"


def test_opforges_own_go_before_plugins_and_the_programs_before_all(installed):
    installed("fx_kinds_rival")
    assert type(optimizer.create("adam")) is optimizer.Adam
    assert type(optimizer.create("fx-kinds-rival::adam")).__module__ == "fx_kinds_rival"

    class FxSign(optimizer.SGD):
        pass

    optimizer.register(FxSign)
    try:
        assert type(optimizer.create("fxsign")) is FxSign
    finally:
        optimizer.base._registry._own.pop("fxsign")


def test_a_contribution_that_is_none_of_its_kind_is_left_out(installed):
    installed("fx_wrong_kind")
    with pytest.raises(ValueError, match="Cannot find metric fxwrong") as caught:
        metric.create("fxwrong")
    assert "does not derive from opforge.metric.EvalMetric" in str(caught.value)


def test_contributions_of_a_plugin_work(installed, tmp_path):
    installed("fx_kinds")
    weight = nd.array([1.0, 1.0])
    update = optimizer.get_updater(optimizer.create("fxsign", learning_rate=0.25))
    update(0, nd.array([3.0, -3.0]), weight)
    assert weight.asnumpy().tolist() == [0.75, 1.25]
    exporter.create("fx_lines").export(None, {"a": weight}, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "a\n"
