"""Other namespaces of the same operators."""

import sys

import pytest

from opforge import nd, sym
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


@pytest.mark.parametrize("namespace", [nd, sym], ids=["nd", "sym"])
def test_names_are_listed_without_their_prefix(namespace):
    assert {"foreach", "while_loop", "isnan"} <= {*namespace.contrib.__all__}
    assert "_plus_scalar" in namespace._internal.__all__
    assert "exp" in namespace.op.__all__
    for part in (namespace.linalg, namespace.contrib, namespace.op, namespace._internal):
        assert {*part.__all__} <= {*dir(part)}
        assert not [name for name in part.__all__ if name.startswith("__")]
    assert not [name for name in namespace.op.__all__ if name.startswith("_")]


def test_every_listed_name_exists():
    for name in nd.contrib.__all__:
        assert callable(getattr(nd.contrib, name))
    scope = {}
    exec("from opforge.ndarray.contrib import *", scope)
    assert scope["isnan"] is nd.contrib.isnan


@pytest.mark.plugins
def test_operators_of_plugins_are_listed():
    assert {"det", "gemm2", "potrf"} <= {*nd.linalg.__all__}
    assert {"det", "gemm2", "potrf"} <= {*sym.linalg.__all__}
