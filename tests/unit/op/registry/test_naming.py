"""Tests of names."""

import pytest

from opforge.op.registry.naming import normalize, pin_line, pins, split_full_name


@pytest.mark.parametrize("text", ["Opforge_Tile", "opforge.tile", "opforge--tile"])
def test_normalise(text):
    assert normalize(text) == "opforge-tile"


def test_full_names():
    assert split_full_name("tile") == (None, "tile", None)
    assert split_full_name("acme::tile") == ("acme", "tile", None)
    assert split_full_name("tile@2") == (None, "tile", 2)
    assert split_full_name("acme::tile@12") == ("acme", "tile", 12)


@pytest.mark.parametrize("name", ["tile@", "@2", "tile@x", "tile@-1", "tile@\u00b2"])
def test_invalid_versions_belong_to_the_name(name):
    assert split_full_name(name) == (None, name, None)


def test_pin_lines_are_readable(monkeypatch):
    key, _, value = pin_line("tile", "acme").partition("=")
    monkeypatch.setenv(key, value)
    assert pins() == {"tile": "acme"}
