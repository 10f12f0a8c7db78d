"""Tests of options that several commands share."""

import pytest


@pytest.mark.parametrize(
    "command",
    [["ops", "list"], ["ops", "why"], ["plugins", "plan"], ["plugins", "pin"], ["doctor"]],
)
def test_every_command_has_json(opforge, command):
    assert "--json" in opforge(*command, "--help").stdout
