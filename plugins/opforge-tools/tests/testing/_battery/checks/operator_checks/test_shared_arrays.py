import numpy as np
import pytest

from .conftest import Square, SquareOp

#: Memory of the module, and constants that stay the same.
SCRATCH = {}
CONSTANTS = {}


class Scratch(Square):
    """Compute in memory of the class or of the module."""

    memory = None

    def create_operator(self, ctx, shapes, dtypes):
        return _Scratch(SCRATCH if self.memory is None else self.memory)


class InClass(Scratch):
    """Compute in memory of the class."""

    memory = {}


class Constant(Scratch):
    """Keep constants of each shape."""

    def create_operator(self, ctx, shapes, dtypes):
        return _Constant(CONSTANTS)


class _Scratch(SquareOp):
    def __init__(self, memory):
        super().__init__()
        self.memory = memory

    def forward(self, is_train, req, in_data, out_data, aux):
        data = in_data[0].asnumpy()
        scratch = self.memory.setdefault("scratch", np.empty_like(data))
        if scratch.shape != data.shape or scratch.dtype != data.dtype:
            scratch = self.memory["scratch"] = np.empty_like(data)
        np.multiply(data, data, out=scratch)
        self.assign(out_data[0], req[0], scratch)


class _Constant(SquareOp):
    def __init__(self, memory):
        super().__init__()
        self.memory = memory

    def forward(self, is_train, req, in_data, out_data, aux):
        ones = self.memory.setdefault(in_data[0].shape, np.ones(in_data[0].shape))
        self.assign(out_data[0], req[0], in_data[0].asnumpy() ** 2 * ones)


@pytest.mark.parametrize(
    ("declaration", "where"),
    [(Scratch, "SCRATCH['scratch']"), (InClass, "InClass.memory['scratch']")],
)
def test_arrays_that_all_calls_share_are_named(outcome, declaration, where):
    found = outcome("calls at once", declaration)
    assert found.status == "failed"
    assert "calls with other values change the array" in found.message and where in found.message


def test_constants_may_be_shared(outcome):
    assert outcome("calls at once", Constant).status == "passed"
