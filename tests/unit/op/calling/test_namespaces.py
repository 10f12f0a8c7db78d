"""Other namespaces of the same operators."""

import sys

import pytest

from opforge import nd
from opforge.op.calling.namespaces import make_namespace


def test_doors():
    assert nd.op.exp is nd.exp and nd._internal._plus_scalar is nd._plus_scalar
    assert nd.contrib.isnan is nd._contrib_isnan
    assert nd.sparse.dot is nd.dot
    for door in (nd.op, nd.linalg, nd.contrib):
        with pytest.raises(AttributeError):
            door.no_such_operator  # noqa: B018 - the look-up is what is tested
    assert not hasattr(nd.op, "__wrapped__")


def test_a_namespace_is_a_module():
    door = make_namespace("opforge.ndarray", "testing_door", "For this test.", "_contrib_", "")
    try:
        assert sys.modules["opforge.ndarray.testing_door"] is door
        assert door.isinf is nd._contrib_isinf and door.log is nd.log
        assert door.__doc__ == "For this test."
    finally:
        del sys.modules["opforge.ndarray.testing_door"]
