"""Tests of names."""

import pytest

from opforge.op.naming import normalise, pin_line, pins, split_full_name


@pytest.mark.parametrize("text", ["Opforge_Tile", "opforge.tile", "opforge--tile"])
def test_normalise(text):
    assert normalise(text) == "opforge-tile"


def test_full_names():
    assert split_full_name("tile") == (None, "tile")
    assert split_full_name("acme::tile") == ("acme", "tile")


def test_pin_line_is_what_pins_reads(monkeypatch):
    key, _, value = pin_line("tile", "acme").partition("=")
    monkeypatch.setenv(key, value)
    assert pins() == {"tile": "acme"}
