"""Tests of the defaults of a declaration."""

from opforge.op.declaring.declaration import OperatorProp
from opforge.op.declaring.defaults import ARGUMENTS, OUTPUTS


def test_a_declaration_that_says_nothing_has_them():
    assert OperatorProp().list_arguments() == list(ARGUMENTS)
    assert OperatorProp().list_outputs() == list(OUTPUTS)
