"""Tests of OPFORGE_PLUGINS."""

import pytest

from opforge.plugin.policy import Policy, current_policy


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
def test_allows(text, tile, softmax):
    policy = Policy.parse(text)
    assert policy.allows("opforge-tile", ["tile"]) is tile
    assert policy.allows("opforge-softmax", ["softmax"]) is softmax


def test_environment_is_read_when_asked(monkeypatch):
    monkeypatch.setenv("OPFORGE_PLUGINS", "none")
    assert not current_policy().allows("opforge-tile", [])
    monkeypatch.delenv("OPFORGE_PLUGINS")
    assert current_policy().allows("opforge-tile", [])
