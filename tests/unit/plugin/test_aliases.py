"""Tables of names that plugins add to modules of opforge."""

import sys
from dataclasses import replace
from types import ModuleType

import pytest

import opforge
from opforge.base.errors import AmbiguousOperatorError, PluginError
from opforge.base.module_aliases import MissingName, forget_missing
from opforge.plugin import RESOLVER, aliases
from opforge.plugin.discovery import Provider
from opforge.plugin.resolver import PluginState


@pytest.fixture
def with_tables(monkeypatch):
    """Return a function that installs fake plugins with tables of aliases."""

    def install(**tables):
        states = {}
        for name, table in tables.items():
            module = ModuleType(f"fx_{name}")
            module.ALIASES = table
            monkeypatch.setitem(sys.modules, module.__name__, module)
            provider = Provider(f"acme-{name}", "1.0", aliases={"x": f"{module.__name__}:ALIASES"})
            states[provider.key] = PluginState(provider)
        monkeypatch.setattr(RESOLVER, "_states", states)
        forget_missing()
        return states

    yield install
    forget_missing()


def test_a_plugin_adds_names(with_tables):
    with_tables(one={"gluon.block": {"pi": "math:pi", "math": "math"}, "": {"fx_e": "math:e"}})
    import math

    assert opforge.gluon.block.pi == math.pi
    assert opforge.gluon.block.math is math
    assert opforge.fx_e == math.e
    assert aliases.find_alias("gluon.block", "tau") is None
    assert aliases.find_alias("nothing", "pi") is None


def test_disabled_plugins_add_none(with_tables):
    states = with_tables(one={"gluon.block": {"pi": "math:pi"}})
    states["acme-one"] = replace(states["acme-one"], state="disabled")
    assert not hasattr(opforge.gluon.block, "pi")


def test_two_objects_of_one_name_are_an_error(with_tables):
    with_tables(one={"gluon.block": {"pi": "math:pi"}}, two={"gluon.block": {"pi": "math:e"}})
    with pytest.raises(AmbiguousOperatorError, match=r"acme-one \(math:pi\), acme-two \(math:e\)"):
        opforge.gluon.block.pi  # noqa: B018 - looking it up is the test


def test_two_plugins_may_add_the_same_object(with_tables):
    with_tables(one={"gluon.block": {"pi": "math:pi"}}, two={"gluon.block": {"pi": "math:pi"}})
    assert opforge.gluon.block.pi == 3.141592653589793


def test_a_table_that_cannot_be_imported_names_its_plugin(with_tables):
    states = with_tables()
    provider = Provider("acme-broken", "1.0", aliases={"x": "fx_nothing:ALIASES"})
    states[provider.key] = PluginState(provider)
    with pytest.raises(PluginError, match=r"acme-broken 1.0: its table .*`opforge plugins disable"):
        aliases.find_alias("gluon.block", "pi")


def test_a_table_explains_missing_names(with_tables):
    why = MissingName("fx has it")
    with_tables(
        one={"optimizer": {"FxLamb": why}, "ndarray": {"fx_gemm": why}, "": {"fx_part": why}},
        two={"gluon.block": {"pi": "math:pi"}},
    )
    assert aliases.find_alias("optimizer", "FxLamb") is None
    assert aliases.explain_missing("optimizer", "FxLamb") == why
    assert aliases.explain_missing("gluon.block", "pi") is None
    assert aliases.explain_contribution("optimizer", "fxlamb") == why  # as in its registry
    assert aliases.explain_contribution("operator", "FX_GEMM") == ""
    assert aliases.explain_contribution("module", "fx_part") == why
    assert aliases.explain_contribution("model", "fx_gemm") == ""  # models are no attributes
    for owner, name in (
        (opforge.optimizer, "FxLamb"),
        (opforge.nd, "fx_gemm"),
        (opforge.sym, "fx_gemm"),
        (opforge, "fx_part"),
    ):
        with pytest.raises(AttributeError, match="fx has it"):
            getattr(owner, name)


def test_another_plugin_may_add_an_explained_name(with_tables):
    with_tables(
        one={"gluon.block": {"pi": MissingName("fx has it")}},
        two={"gluon.block": {"pi": "math:pi"}},
    )
    assert opforge.gluon.block.pi == 3.141592653589793
