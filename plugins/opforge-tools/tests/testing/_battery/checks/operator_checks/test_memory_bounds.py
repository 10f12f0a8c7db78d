"""What the check finds is in tests/abi/test_battery.py, which has operators in C."""

import ctypes

from opforge.op.abi import NativeOperator, functions


@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
def idle(call):
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
def far(call):
    return ctypes.c_int32.from_address(0).value


class Idle(NativeOperator):
    """Leave the output as it is."""

    name = "idle_of_battery"
    library = functions(forward=idle)
    differentiable = False


class Far(Idle):
    """Read what nobody may."""

    name = "far_of_battery"
    library = functions(forward=far)


def test_calls_are_counted_and_crashes_survived(outcome):
    found = outcome("memory bounds", Idle, samples=[[(2, 3)]])
    assert found.status == "passed" and found.samples > 10
    found = outcome("memory bounds", Far, samples=[[(2, 3)]])
    text = "sample (2, 3), float32: forward ended the process by SIGSEGV"
    assert (found.status, found.message) == ("failed", text)
