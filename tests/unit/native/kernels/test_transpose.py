"""Transposition of blocks of all sizes, with and without streaming, on all instruction sets."""

import itertools

import numpy as np
import pytest

from opforge import nd
from opforge.native import calls
from opforge.native.loops.stores import _set_threshold

LANES = (1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 64, 130)
INNER = (2, 5, 8, 15, 31, 49, 64, 127, 129, 260)


def mismatches(threshold=None):
    """Return the cases in which the result differs from NumPy's."""
    before = None if threshold is None else _set_threshold(threshold)
    found = []
    for dtype, lanes, inner in itertools.product(("i1", "f2", "i4", "i8"), LANES, INNER):
        x = (np.arange(2 * lanes * inner).reshape(2, lanes, inner) % 120).astype(dtype)
        out = nd.zeros((2, inner, lanes), dtype=x.dtype)
        calls.transpose(nd.array(x, dtype=x.dtype), out, (0, 2, 1))
        if not np.array_equal(out.asnumpy(), x.transpose(0, 2, 1)):
            found.append((dtype, lanes, inner))
    if before is not None:
        _set_threshold(before)
    return found


@pytest.mark.parametrize("threshold", [0, 1 << 40])
def test_blocks_and_their_edges(threshold):
    assert mismatches(threshold) == []


def test_on_the_other_instruction_sets(instruction_sets, run_on):
    for isa in instruction_sets[:-1]:
        assert run_on(isa, __file__) == "[]\n"


if __name__ == "__main__":
    print(mismatches(0) + mismatches())
