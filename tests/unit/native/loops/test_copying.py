"""Copies of contiguous memory of any size and alignment: every byte and no other is written."""

import numpy as np
import pytest

from opforge.native.loops import copying
from opforge.native.threads import parallel

SIZES = [0, 1, 15, 63, 64, 65, 2047, 2048, 2049, 4096, 70001, (1 << 20) + 7, (12 << 20) + 33]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("to", "start"), [(0, 0), (16, 0), (3, 1), (0, 33)])
def test_copies_all_bytes_and_no_others(size, to, start, threads):
    pattern = np.arange(size + 200, dtype=np.uint32).view(np.uint8)[: size + 200]
    target = np.full(size + 200, 7, np.uint8)
    before = parallel.set_num_threads(threads)
    try:
        copying._copy(target[to : to + size], pattern[start : start + size])
    finally:
        parallel.set_num_threads(before)
    np.testing.assert_array_equal(target[to : to + size], pattern[start : start + size])
    assert (target[:to] == 7).all()
    assert (target[to + size :] == 7).all()
