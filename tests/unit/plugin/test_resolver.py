"""Tests of the resolution policy and of lazy, thread-safe loading."""

import sys
import threading
import time
from pathlib import Path

import pytest

from opforge import plugin
from opforge.base.errors import AmbiguousOperatorError, OperatorNotFoundError, PluginError
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry

DISTRIBUTIONS = Path(__file__).parents[2] / "fixtures" / "distributions"


def test_names_are_listed_without_import(installed):
    installed("fx-good")
    assert {"fx_scale", "fx_shift"} <= set(registry.names())
    assert "fx_good" not in sys.modules


def test_loading_is_timed_in_processor_time(installed, monkeypatch):
    installed("fx-good")
    clock = iter([1.0, 3.5])
    monkeypatch.setattr(time, "thread_time", lambda: next(clock))
    registry.lookup("fx_scale")
    (state,) = [state for state in plugin.states() if state.provider.name == "fx-good"]
    assert state.seconds == 2.5


@pytest.mark.parametrize("order", [("fx-good", "fx-rival"), ("fx-rival", "fx-good")])
def test_two_providers_are_ambiguous_in_any_order(installed, order):
    installed(*order)
    with pytest.raises(AmbiguousOperatorError) as caught:
        registry.lookup("fx_scale")
    assert "fx-good, fx-rival" in str(caught.value)
    assert "OPFORGE_PIN=fx_scale=fx-rival" in str(caught.value)
    assert "fx_good" not in sys.modules


def test_ambiguous_even_after_one_was_loaded(installed):
    installed("fx-good", "fx-rival")
    registry.lookup("fx_shift")
    with pytest.raises(AmbiguousOperatorError):
        registry.lookup("fx_scale")


def test_pin_decides(installed, monkeypatch):
    installed("fx-good", "fx-rival")
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=FX_rival")
    assert registry.lookup("fx_scale").version == "2.5"
    assert "fx_good" not in sys.modules


def test_pin_to_a_missing_provider(installed, monkeypatch):
    installed("fx-good")
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=acme")
    with pytest.raises(PluginError, match=r"pinned to acme.*providers: fx-good"):
        registry.lookup("fx_scale")


def test_full_name_decides(installed):
    installed("fx-good", "fx-rival")
    assert registry.lookup("fx-good::fx_scale").provider == "fx-good"
    assert registry.lookup("fx-rival::fx_scale").provider == "fx-rival"


def test_primitive_set_goes_first(installed):
    installed("fx-good", "fx-rival")
    std = type("Std", (OperatorProp,), {"name": "fx_scale"})
    registry.register_operator(std)
    assert registry.lookup("fx_scale").prop_class is std
    assert "fx_good" not in sys.modules


def test_disabled_plugin_is_never_imported(installed, monkeypatch):
    installed("fx-kills", "fx-good")
    monkeypatch.setenv("OPFORGE_PLUGINS", "-kills")
    with pytest.raises(OperatorNotFoundError, match="disabled by OPFORGE_PLUGINS=-kills"):
        registry.lookup("fx_kill")
    assert registry.lookup("fx_scale").provider == "fx-good"


def test_disabling_settles_a_conflict(installed, monkeypatch):
    installed("fx-good", "fx-rival")
    monkeypatch.setenv("OPFORGE_PLUGINS", "fx-rival")
    assert registry.lookup("fx_scale").provider == "fx-rival"


def test_refresh_finds_new_plugins_and_keeps_loaded_ones(installed, monkeypatch):
    installed("fx-good")
    entry = registry.lookup("fx_scale")
    monkeypatch.syspath_prepend(str(DISTRIBUTIONS / "fx_import_error"))
    plugin.refresh()
    found = {state.provider.name: state.state for state in plugin.states()}
    assert (found["fx-good"], found["fx-import-error"]) == ("loaded", "not loaded")
    assert registry.lookup("fx_scale") is entry


def test_pins_of_the_settings(installed, monkeypatch, tmp_path):
    installed("fx-good", "fx-rival")
    path = tmp_path / "opforge.toml"
    path.write_text('[plugins]\npins = {fx_scale = "fx-rival"}\ndisabled = ["fx-good"]\n')
    monkeypatch.setenv("OPFORGE_CONFIG", str(path))
    assert registry.lookup("fx_scale").provider == "fx-rival"
    with pytest.raises(OperatorNotFoundError, match="opforge plugins enable fx-good"):
        registry.lookup("fx_shift")
    path.write_text("")
    monkeypatch.setenv("OPFORGE_PIN", "fx_scale=fx-good")
    plugin.refresh()
    assert registry.lookup("fx_scale").provider == "fx-good", "the environment goes first"


def test_settings_that_cannot_be_understood_load_nothing(installed, monkeypatch, tmp_path):
    installed("fx-good")
    monkeypatch.setenv("OPFORGE_CONFIG", str(tmp_path / "none.toml"))
    with pytest.raises(PluginError, match="does not exist"):
        registry.lookup("fx_shift")
    assert "fx_good" not in sys.modules


def test_fifty_threads_load_once(installed, tmp_path, monkeypatch):
    info = tmp_path / "fx_slow-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fx-slow\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[opforge]\nslow = fx_slow\n[opforge.ops]\nfx_slow = fx_slow:Slow\n"
    )
    log = tmp_path / "log"
    (tmp_path / "fx_slow.py").write_text(
        "import threading\n"
        "from opforge.plugin_api import OperatorProp, hookimpl\n"
        "threading.Event().wait(0.05)\n"
        "class Slow(OperatorProp):\n    name = 'fx_slow'\n"
        "@hookimpl\n"
        "def opforge_operators():\n"
        f"    with open({str(log)!r}, 'a') as log:\n        log.write('x')\n"
        "    return [Slow]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    installed()
    barrier = threading.Barrier(50)
    found = []

    def look_up():
        barrier.wait()
        found.append(registry.lookup("fx_slow"))

    threads = [threading.Thread(target=look_up) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 50
    assert all(entry is found[0] for entry in found)
    assert log.read_text() == "x"
