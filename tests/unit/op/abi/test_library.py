"""Functions from addresses; tests/abi tests libraries of modules."""

import ctypes
from types import SimpleNamespace

import pytest

from opforge import nd
from opforge.base.errors import PluginError
from opforge.native.abi.table import CPU
from opforge.op.abi import NativeOperator, functions
from opforge.op.abi.library import find_operators

KIND = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


@KIND
def nothing(call):
    return 0


ADDRESS = ctypes.cast(nothing, ctypes.c_void_p).value


@pytest.mark.parametrize(
    "given",
    [nothing, ADDRESS, SimpleNamespace(address=ADDRESS)],
    ids=["function", "address", "numba"],
)
def test_functions_of_any_kind(given):
    made = functions(forward=given, infer=given, random=True)
    assert made.addresses == {"forward": ADDRESS, "infer": ADDRESS}
    (found,) = find_operators(made, "any_name").values()
    assert (found.name, found.has_infer, found.has_backward) == ("any_name", True, False)
    assert found.draws_random and found.version == (2, 1) and found.device_type == CPU
    assert repr(found) == "<native operator 'any_name' of native.functions>"


@pytest.mark.parametrize("given", [None, 0, -1, True, print, "forward"])
def test_other_objects_are_not_functions(given):
    with pytest.raises(PluginError, match=r"forward"):
        find_operators(functions(forward=given), "any_name")


def test_a_function_in_python_can_be_one(monkeypatch):
    """ctypes takes the lock that the call released; that is slow but may be the only option."""
    seen = []

    @KIND
    def forward(call):
        seen.append(bool(call))
        return 0

    class Watched(NativeOperator):
        name = "watched_in_python"
        library = functions(forward=forward)
        differentiable = False

    x = nd.ones((2,))
    Watched().compute([x], [nd.ones((2,))], ["write"])
    assert seen == [True]
