"""Tests of the tables."""

from opforge.cli.printing import tables


def test_an_empty_list_has_no_table(capsys):
    tables.print_things([])
    assert not capsys.readouterr().out
