"""Modules that plugins bring for what MXNet's programs import beside MXNet."""

import importlib
import sys

import pytest

from opforge.mxnet import install, uninstall


@pytest.fixture
def programs(with_plugins):
    """Let MXNet programs run, and see a plugin that brings ``fx_friend.mxnet``."""

    def begin(*plugins):
        with_plugins(*plugins)
        install(force=True)

    yield begin
    uninstall()


def test_a_companion_is_the_plugins_own_module(programs):
    programs("fx-tools")
    found = importlib.import_module("fx_friend.mxnet")
    assert found is importlib.import_module("fx_tools")
    scope = {}
    exec("import fx_friend.mxnet as friend\nfrom fx_friend import mxnet", scope)
    assert scope["friend"] is scope["mxnet"] is found
    with pytest.raises(ModuleNotFoundError, match=r"fx_friend\.torch"):
        importlib.import_module("fx_friend.torch")
    uninstall()
    assert not {"fx_friend", "fx_friend.mxnet"} & sys.modules.keys()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("fx_friend.mxnet")


def test_the_real_one_goes_before(programs, tmp_path, monkeypatch):
    programs("fx-tools")
    (tmp_path / "fx_friend").mkdir()
    (tmp_path / "fx_friend" / "__init__.py").write_text("")
    (tmp_path / "fx_friend" / "mxnet.py").write_text("real = True\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    assert importlib.import_module("fx_friend.mxnet").real


def test_plugins_that_are_switched_off_bring_none(programs, monkeypatch):
    programs("fx-tools")
    uninstall()
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    install(force=True)
    importlib.import_module("opforge.plugin").refresh()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("fx_friend.mxnet")
