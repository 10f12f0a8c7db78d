"""Transposition of blocks of all sizes, with and without streaming, on all instruction sets."""

import itertools
import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from opforge import nd
from opforge.native import calls
from opforge.native.loops.stores import _set_threshold
from opforge.native.threads import cpu

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


@pytest.mark.parametrize("isa", cpu.supported()[:-1])
def test_on_the_other_instruction_sets(isa):
    if find_spec(f"opforge.native.kernels.{isa}.transpose") is None:
        pytest.skip(f"the kernels were not built for {isa}")
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "OPFORGE_ISA": isa},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


if __name__ == "__main__":
    print(mismatches(0) + mismatches())
