"""Rules that a program registers, and what is known about them without a plugin."""

import subprocess
import sys

import pytest

from opforge.op.rules import table


def test_a_rule_is_found_by_kind_and_operator():
    @table.register("fx_lines", "relu")
    def line(prop, inputs):
        return "relu"

    assert table.find("fx_lines", "relu") is line
    assert table.find("fx_lines", "tanh") is None and table.find("fx_other", "relu") is None
    assert table.is_of_program("fx_lines:relu") and not table.is_of_program("fx_lines:tanh")
    assert table.supported("fx_lines") == ["relu"]
    assert table.providers("relu")["fx_lines"] == [""]
    assert "fx_lines" in table.added()["relu"]
    assert "fx_lines:relu" in table.names()


def test_the_last_registration_is_used():
    table.register("fx_lines", "relu")(len)
    table.register("fx_lines", "relu")(max)
    assert table.find("fx_lines", "relu") is max


def test_other_objects_are_rejected():
    with pytest.raises(TypeError, match="rule 'fx_lines:relu': 3 is not callable"):
        table.register("fx_lines", "relu")(3)
    assert table.find("fx_lines", "relu") is None


def test_operators_of_the_core_read_no_metadata():
    program = "from opforge import nd; nd.dot(nd.ones((2, 2)), nd.ones((2, 2)))"
    check = "import opforge.plugin as p; assert p.RESOLVER._states is None"
    subprocess.run([sys.executable, "-c", f"{program}; {check}"], check=True, timeout=120)
