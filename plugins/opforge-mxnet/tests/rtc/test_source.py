"""The source around a body declares what MXNet's did, and refuses what cannot run in turn."""

import pytest

from opforge.base.errors import OpforgeError
from opforge.rtc.source import Parameter, check_body, kernel_source


def test_arrays_are_pointers_with_their_shapes():
    text = kernel_source("k", (Parameter("x", (2, 3), 0, True), Parameter("y", (), 4, False)), "b")
    assert "const float *x" in text
    assert "int32_t *y" in text
    assert "x_ndim = 2;" in text
    assert "x_dims[] = {2, 3};" in text
    assert "y_ndim = 0;" in text
    assert '#include "b"' in text


@pytest.mark.parametrize("word", ["__syncthreads()", "__syncwarp()", "__shfl_down_sync(1, 2, 3)"])
def test_waiting_for_other_threads_is_rejected(word):
    body = f"float a = 1; // __syncthreads()\n/* and\n__syncthreads */\n{word};"
    with pytest.raises(OpforgeError, match=rf"line 4 calls {word.partition('(')[0]},.*Split"):
        check_body("k", body)


def test_comments_do_not_count():
    check_body("k", "// __syncthreads()\n/* __syncthreads */ y[0] = my__syncthreads;")
