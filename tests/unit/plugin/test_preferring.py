"""Tests of `opforge.prefer`, with two installed providers of one operator."""

import threading

import pytest

import opforge
from opforge import nd, sym
from opforge.base.errors import AmbiguousOperatorError, PluginError


@pytest.fixture
def two(installed):
    """Install two providers of fx_scale."""
    installed("fx-good", "fx-rival")
    opforge.refresh()
    yield
    opforge.refresh()


def provider(function):
    return function.__doc__.rpartition("Provided by: ")[2].split()[0]


def test_arrays_and_symbols(two):
    for namespace in (nd, sym):
        with opforge.prefer("fx-rival"):
            assert provider(namespace.fx_scale) == "fx-rival"
            with opforge.prefer("Fx_Good"):
                assert provider(namespace.fx_scale) == "fx-good"
                assert "fx_scale" not in vars(namespace)
            assert provider(namespace.fx_scale) == "fx-rival"
        with pytest.raises(AmbiguousOperatorError):
            _ = namespace.fx_scale


def test_a_function_that_was_used_before(two, monkeypatch):
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=fx-good")
    assert provider(nd.fx_scale) == "fx-good"
    assert "fx_scale" in vars(nd)
    with opforge.prefer("fx-rival"):
        assert provider(nd.fx_scale) == "fx-rival"
    assert provider(nd.fx_scale) == "fx-good"
    assert "fx_scale" in vars(nd)


def test_other_threads_see_nothing(two, monkeypatch):
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=fx-good")
    seen = []
    with opforge.prefer("fx-rival"):
        thread = threading.Thread(target=lambda: seen.append(provider(nd.fx_scale)))
        thread.start()
        thread.join()
    assert seen == ["fx-good"]


def test_the_primitive_set_may_be_preferred():
    with opforge.prefer("opforge"):
        assert provider(nd.exp) == "opforge"


def test_prefer_rejects_missing_and_disabled_plugins(two, monkeypatch):
    with pytest.raises(PluginError, match="'fx-riva' is not installed; did you mean fx-rival"):
        opforge.prefer("fx-riva").__enter__()
    with pytest.raises(PluginError, match="pip install zzzzzz"):
        opforge.prefer("zzzzzz").__enter__()
    monkeypatch.setenv("OPFORGE_PLUGINS", "-fx-rival")
    opforge.refresh()
    with pytest.raises(PluginError, match="disabled by OPFORGE_PLUGINS=-fx-rival: change"):
        opforge.prefer("fx-rival").__enter__()
