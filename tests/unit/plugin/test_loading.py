"""Tests of loading: each kind of broken plugin is skipped, and named."""

import signal
import sys

import pytest

from opforge import plugin
from opforge.base.errors import OperatorNotFoundError, PluginError
from opforge.op.registry import registry

BROKEN = {
    "fx-import-error": ("fx_broken", "libmissing.so.3 was not found"),
    "fx-hook-raises": ("fx_scale", "no layers today"),
    "fx-exits": ("fx_exit", "SystemExit: 7"),
    "fx-interrupts": ("fx_interrupts", "KeyboardInterrupt"),
    "fx-gives-up": ("fx_gives_up", "GeneratorExit"),
    "fx-panics": ("fx_panic", "PanicException: index out of bounds"),
    "fx-no-source": ("fx_nowhere", "No module named 'fx_no_source'"),
    "fx-wrong-hook": ("fx_scale", "opforge_operator"),
    "fx-wrong-class": ("fx_scale", "<class 'dict'> is not an operator declaration"),
    "fx-no-list": ("fx_scale", "opforge_operators returned 3"),
    "fx-unnamed": ("fx_unnamed", "Unnamed has no name"),
    "fx-twice": ("fx_scale", "registered twice"),
    "fx-bad-body": ("fx_bad_body", "arguments is 'data'"),
    "fx-other-name": (
        "fx_orphan",
        "entry point 'fx_orphan' in the group 'opforge.ops' names fx_other_name:Scale, "
        "whose name is 'fx_scale'",
    ),
    "fx-drift": ("fx_promised", "but module 'fx_drift' has no attribute 'Promised'"),
    "fx-syntax": ("fx_torn", "SyntaxError"),
    "fx-self-use": ("fx_own", "is still being imported"),
}


def state_of(name):
    return next(state for state in plugin.states() if state.provider.name == name)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_plugin_is_left_out_and_named(installed, name):
    installed(name)
    operator, text = BROKEN[name]
    with pytest.raises(OperatorNotFoundError) as caught:
        registry.lookup(operator)
    message = str(caught.value)
    assert f"plugin {name} 1.0 failed to load" in message
    assert text in message
    assert state_of(name).state == "failed"
    registered = {entry.name for entry in registry.OPERATORS.entries()}
    assert registered == ({"fx_scale"} if name == "fx-drift" else set())
    assert registry.LAYERS.entries() == []
    assert registry.custom_names() == []


@pytest.mark.parametrize("name", BROKEN)
def test_strict_raises(installed, monkeypatch, name):
    installed(name)
    monkeypatch.setenv("OPFORGE_STRICT", "1")
    for _ in range(2):
        with pytest.raises(PluginError, match=f"{name} 1.0 failed to load"):
            registry.lookup(BROKEN[name][0])


def test_others_work_beside_broken_ones(installed):
    installed("fx-import-error", "fx-good", "fx-exits")
    with pytest.raises(OperatorNotFoundError):
        registry.lookup("fx_broken")
    entry = registry.lookup("fx_scale")
    assert (entry.provider, entry.version, entry.kind) == ("fx-good", "1.0", "plugin")
    assert registry.lookup("fx_multiply").prop_class is entry.prop_class
    assert registry.lookup_layer("FxLayer").provider == "fx-good"


def test_failure_appears_in_every_not_found_error(installed):
    installed("fx-import-error")
    with pytest.raises(OperatorNotFoundError):
        registry.lookup("fx_broken")
    with pytest.raises(OperatorNotFoundError, match="libmissing"):
        registry.lookup("quite_another_name")


def test_plugin_loaded_for_another_one_stays(installed):
    installed("fx-needs-good", "fx-good")
    with pytest.raises(OperatorNotFoundError, match="fails after fx-good was loaded"):
        registry.lookup("fx_needy")
    assert state_of("fx-good").state == "loaded"
    assert registry.lookup("fx_shift").provider == "fx-good"


def test_names_without_an_entry_point_are_reported(installed):
    installed("fx-drift")
    with pytest.raises(OperatorNotFoundError):
        registry.lookup("fx_promised")
    (problem,) = state_of("fx-drift").problems
    assert "the code registers the operator 'fx_scale', but its metadata does not" in problem


def test_an_entry_point_is_loaded_alone(installed):
    installed("fx-no-hooks")
    assert registry.lookup("fx_scale").object_name == "fx_no_hooks.scales.Scale"
    assert state_of("fx-no-hooks").state == "loaded"
    assert not {"fx_no_hooks.layers", "fx_no_hooks.broken"} & set(sys.modules)
    assert registry.lookup_layer("FxPlainLayer").provider == "fx-no-hooks"
    assert registry.lookup("fx_multiply").prop_class is registry.lookup("fx_scale").prop_class
    assert state_of("fx-no-hooks").problems == []


def test_a_contribution_that_fails_leaves_the_others(installed):
    installed("fx-no-hooks")
    for _ in range(2):
        with pytest.raises(OperatorNotFoundError, match=r"failed to load:(.|\n)*libmissing.so.4"):
            registry.lookup("fx_broken")
    state = state_of("fx-no-hooks")
    assert state.state == "failed" and list(state.failures) == [("operator", "fx_broken")]
    assert registry.lookup("fx_scale").provider == "fx-no-hooks"
    assert registry.lookup_layer("FxPlainLayer").provider == "fx-no-hooks"
    assert state.state == "failed" and state.trace == state.failure("operator", "fx_broken")


def test_loading_all_tries_each(installed):
    installed("fx-no-hooks")
    plugin.RESOLVER.load("fx-no-hooks")
    state = state_of("fx-no-hooks")
    assert (state.state, len(state.failures)) == ("failed", 1)
    assert {entry.name for entry in registry.OPERATORS.entries()} == {"fx_scale", "fx_multiply"}
    assert [entry.name for entry in registry.LAYERS.entries()] == ["FxPlainLayer"]


def test_ctrl_c_while_loading_is_not_a_plugin_failure(installed, monkeypatch):
    def interrupt(provider):
        signal.raise_signal(signal.SIGINT)

    installed("fx-good")
    # Shells let background processes ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr("opforge.plugin.loading.register_hooks", interrupt)
            registry.lookup("fx_scale")
    finally:
        signal.signal(signal.SIGINT, before)
    assert registry.lookup("fx_scale").provider == "fx-good"


def test_a_plugin_for_which_there_was_no_memory_is_loaded_later(installed, monkeypatch):
    def has_no_memory(provider):
        raise MemoryError("nothing left")

    installed("fx-good")
    with monkeypatch.context() as patched:
        patched.setattr("opforge.plugin.loading.register_hooks", has_no_memory)
        with pytest.raises(MemoryError, match=r"no memory to load plugin fx-good.*nothing left"):
            registry.lookup("fx_scale")
    assert registry.lookup("fx_scale").provider == "fx-good"
