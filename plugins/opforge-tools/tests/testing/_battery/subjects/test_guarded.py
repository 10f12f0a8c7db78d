import ctypes

import numpy as np
import pytest
from opforge_tools.testing._battery.checks.child import run_in_child
from opforge_tools.testing._battery.subjects.guarded import GuardedMemory


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("shape", [(2, 3), (0,), (5000,)])
def test_one_byte_beside_the_array_is_too_much(shape, at_end):
    value = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    memory = GuardedMemory(value, at_end)
    assert np.array_equal(memory.array.asnumpy(), value)
    start = np.asarray(memory.array).ctypes.data
    beside = start + value.nbytes if at_end else start - 1

    def read(say):
        memory.forbid(True)
        total = float(memory.array.asnumpy().sum())
        say(total)
        return ctypes.string_at(beside, 1)

    ended = run_in_child(read)
    assert ended.said == [float(value.sum())], "the array itself may be read"
    assert ended.fate == "ended the process by SIGSEGV"
    memory.forbid(True)
    memory.forbid(False)
    assert ctypes.string_at(beside, 1) == b"\0"
