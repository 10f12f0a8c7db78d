"""The registry of exporters."""

import pytest

from opforge import exporter


def test_programs_register_their_own():
    @exporter.register
    class Shout(exporter.Exporter):
        def __init__(self, mark="!"):
            self.mark = mark

    assert exporter.create("shout", mark="?").mark == "?"


def test_missing_and_unfinished_ones_say_so():
    with pytest.raises(ValueError, match="Cannot find exporter nosuch"):
        exporter.create("nosuch")
    with pytest.raises(NotImplementedError, match="Exporter must define export"):
        exporter.Exporter().export(None, {}, "x")
    with pytest.raises(exporter.ProgramMissingError, match="Exporter has no program to run x"):
        exporter.Exporter().open_session("x", 1)
