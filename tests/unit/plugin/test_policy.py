"""Tests of the policy for loading plugins."""

import pytest

from opforge.plugin.policy import Policy
from opforge.plugin.settings import Settings


@pytest.mark.parametrize(
    ("text", "tile", "softmax"),
    [
        ("", True, True),
        ("none", False, False),
        ("NONE", False, False),
        ("tile", True, False),
        ("opforge_tile, opforge-softmax", True, True),
        ("-tile", False, True),
        ("-tile,-softmax", False, False),
        ("tile,softmax,-tile", False, True),
    ],
)
def test_environment(text, tile, softmax):
    policy = Policy.parse(text)
    assert (policy.disabled_reason("opforge-tile", ["tile"]) == "") is tile
    assert (policy.disabled_reason("opforge-softmax", ["softmax"]) == "") is softmax


def test_environment_is_read_when_asked(monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    policy = Policy.current(Settings())
    assert policy.disabled_reason("opforge-tile", []) == "disabled by OPFORGE_PLUGINS=none"
    monkeypatch.delenv("OPFORGE_PLUGINS")
    assert Policy.current(Settings()).disabled_reason("opforge-tile", []) == ""


@pytest.mark.parametrize(
    ("text", "disabled"),
    [
        ("", {"acme-slow"}),
        ("-acme-fast", {"acme-slow", "acme-fast"}),
        ("acme-slow", {"acme-fast"}),
        ("none", {"acme-slow", "acme-fast"}),
    ],
)
def test_environment_overrides_disabled_plugins_of_settings(text, disabled):
    policy = Policy.parse(text, Settings("f.toml", disabled=frozenset({"acme-slow"})))
    assert {
        name for name in ("acme-slow", "acme-fast") if policy.disabled_reason(name, [])
    } == disabled


def test_the_allow_list_holds_whatever_the_environment_says():
    settings = Settings("f.toml", mode="allowlist", allowed={"acme-fast": ""})
    for text in ("", "acme-slow", "-other"):
        reason = Policy.parse(text, settings).disabled_reason("acme-slow", [])
        assert reason == "not in the allowlist of f.toml"
    assert Policy.parse("", settings).disabled_reason("Acme_Fast", []) == ""


def test_each_rejection_has_its_line():
    settings = Settings("f.toml", frozenset({"a"}), mode="allowlist", allowed={"a": ""})
    policy = Policy.parse("-c", settings)
    lines = {name: policy.enabling_line(name, policy.disabled_reason(name, [])) for name in "abc"}
    assert lines == {
        "a": "opforge plugins enable a",
        "b": "opforge plugins allow b",
        "c": "change OPFORGE_PLUGINS, which is '-c'",
    }


def test_a_digest_names_the_contents(installed):
    installed("fx-good")
    wrong = Settings("f.toml", mode="allowlist", allowed={"fx-good": f"sha256:{'0' * 64}"})
    reason = Policy.parse("", wrong).disabled_reason("fx-good", [])
    assert reason == "its contents differ from those allowed in f.toml"
