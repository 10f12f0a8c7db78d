"""Tests of the tables."""

from opforge.cli import tables


def test_empty_listings_say_what_to_install(capsys):
    tables.print_operators([])
    assert "pip install 'opforge[std]'" in capsys.readouterr().out
