"""The description of one step."""

import dataclasses

import pytest

from opforge.symbol.compiler.call import Call, Elementwise


def test_a_call_has_defaults_and_does_not_change():
    call = Call(lambda made: None, "node", [0], [1])
    assert call.in_place == () and call.elementwise is None and not call.identity
    with pytest.raises(dataclasses.FrozenInstanceError):
        call.label = "other"
    assert Elementwise("unary", "exp") == Elementwise("unary", "exp", None, False)
