import threading

import pytest

from opforge import sym
from opforge.symbol.modes import composing_arrays, modes
from opforge.symbol.variable import typed_variable


def test_single_outputs_are_arrays_in_the_block_only():
    x = typed_variable("x", (2, 3), 0)
    assert len(x) == len(list(x)) == 1
    with composing_arrays():
        assert len(x) == len(list(x)) == 2
        assert x[0].shape == (3,)
        assert [part.shape for part in sym.split(x, num_outputs=3)] == [(2, 1)] * 3
        with pytest.raises(IndexError, match="out of range"):
            sym.split(x, num_outputs=3)[3]
    assert x[0].shape == (2, 3)


def test_threads_do_not_see_each_other():
    seen = []
    with composing_arrays():
        thread = threading.Thread(target=lambda: seen.append(modes.stands_for_arrays))
        thread.start()
        thread.join()
        assert modes.stands_for_arrays
    assert seen == [False]
    assert not modes.stands_for_arrays
