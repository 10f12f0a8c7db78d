"""Modules of plugins are available below opforge, as attributes and as imports."""

import importlib
import sys

import pytest

import opforge
from opforge import plugin
from opforge.base.errors import AmbiguousOperatorError, OperatorNotFoundError
from opforge.plugin.modules import module_names


def test_attributes_and_imports_give_the_plugins_own_module(installed):
    installed("fx_kinds")
    assert "fx_parts" in dir(opforge) and "fx_parts" in module_names()
    assert "fx_parts" not in sys.modules, "listing must not import"
    found = opforge.fx_parts
    assert found is sys.modules["fx_parts"]
    assert importlib.import_module("opforge.fx_parts") is found
    scope = {}
    exec("from opforge import fx_parts\nimport opforge.fx_parts as again", scope)
    assert scope["fx_parts"] is scope["again"] is found
    assert found.__spec__.name == "fx_parts"  # unchanged: reload and pickle still work


def test_attributes_are_cached_until_plugins_change(installed):
    installed("fx_kinds")
    found = opforge.fx_parts
    assert vars(opforge)["fx_parts"] is found
    with opforge.prefer("fx-kinds"):
        assert "fx_parts" not in vars(opforge)
        assert opforge.fx_parts is found
        assert "fx_parts" not in vars(opforge)
    assert opforge.fx_parts is found
    plugin.refresh()
    assert "fx_parts" not in vars(opforge)


def test_submodules_are_not_imported_twice(installed):
    installed("fx_kinds")
    inner = importlib.import_module("opforge.fx_parts.inner")
    assert inner is sys.modules["fx_parts.inner"]
    assert inner.fx_whole is opforge.fx_parts.fx_whole
    with pytest.raises(ModuleNotFoundError, match=r"fx_parts\.outer"):
        importlib.import_module("opforge.fx_parts.outer")


@pytest.mark.plugins
def test_programs_of_mxnet_import_it(installed):
    installed("fx_kinds")
    opforge.mxnet.install(force=True)
    try:
        assert importlib.import_module("mxnet.fx_parts") is opforge.fx_parts
        assert importlib.import_module("mxnet.fx_parts.inner").fx_whole() == "whole"
    finally:
        opforge.mxnet.uninstall()


def test_opforges_own_go_before(installed, monkeypatch):
    installed("fx_kinds")
    (state,) = (s for s in plugin.states() if s.provider.name == "fx-kinds")
    monkeypatch.setitem(state.provider.provides["module"], "metric", "fx_parts")
    assert importlib.import_module("opforge.metric").__name__ == "opforge.metric"
    assert opforge.metric.__name__ == "opforge.metric"


@pytest.mark.plugins
def test_installable_distributions_are_suggested(installed, monkeypatch, tmp_path):
    installed()
    index = tmp_path / "index.json"
    index.write_text('{"modules": {"fx_parts": [{"distribution": "acme-parts", "version": "1"}]}}')
    monkeypatch.setenv("OPFORGE_CATALOGUE", str(index))
    words = "acme-parts provides it: pip install acme-parts"
    with pytest.raises(AttributeError, match=words):
        _ = opforge.fx_parts
    with pytest.raises(ImportError, match=f"opforge.fx_parts cannot be imported(?s:.*){words}"):
        importlib.import_module("opforge.fx_parts")
    opforge.mxnet.install(force=True)
    try:
        with pytest.raises(ImportError, match=words):
            importlib.import_module("mxnet.fx_parts")
    finally:
        opforge.mxnet.uninstall()


def test_one_that_is_disabled_says_how_to_enable_it(installed, monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    installed("fx_kinds")
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    with pytest.raises(ImportError, match=r"fx-kinds 1.0 provides it but is .*OPFORGE_PLUGINS"):
        importlib.import_module("opforge.fx_parts")


def test_unknown_names_raise(installed):
    installed("fx_kinds")
    with pytest.raises(OperatorNotFoundError, match="similar names: fx_parts"):
        _ = opforge.fx_part
    with pytest.raises(ModuleNotFoundError, match=r"opforge\.fx_part cannot be imported: "):
        importlib.import_module("opforge.fx_part")
    assert not hasattr(opforge, "_fx_parts")


def test_two_plugins_of_one_name_are_not_settled_by_order(installed, monkeypatch):
    installed("fx_kinds", "fx_kinds_rival")
    with pytest.raises(AmbiguousOperatorError, match="module 'fx_parts' is provided by"):
        _ = opforge.fx_parts
    with pytest.raises(ImportError, match="Choose one before its first use"):
        importlib.import_module("opforge.fx_parts")
    monkeypatch.setenv("OPFORGE_PIN", "fx_parts=fx-kinds")
    plugin.refresh()
    assert importlib.import_module("opforge.fx_parts").__name__ == "fx_parts"


def test_other_objects_are_not_registered_as_modules(installed):
    installed("fx_wrong_kind")
    # All of a plugin is registered, or nothing: the first problem is reported.
    with pytest.raises(OperatorNotFoundError, match=r"plugin fx-wrong-kind .* failed to load"):
        _ = opforge.fx_wrong
