import threading

from opforge import sym
from opforge.symbol.node import Type
from opforge.symbol.size_tracking import mark_sizes_read, tracking_sizes
from opforge.symbol.variable import typed_variable


def variable():
    return typed_variable("x", (2, 3), 0)


def test_shapes_and_sizes_are_sizes_and_ranks_and_types_are_not():
    for read in (lambda x: x.shape, lambda x: x.size):
        with tracking_sizes() as sizes:
            assert read(variable())
            assert sizes.were_read
    with tracking_sizes() as sizes:
        assert variable().ndim == 2
        assert variable().dtype is not None
        assert variable().type == Type((2, 3), 0)
        sym.dot(variable(), sym.transpose(variable()))
        assert not sizes.were_read


def test_blocks_and_threads_do_not_see_each_other():
    with tracking_sizes() as outer:
        with tracking_sizes():
            mark_sizes_read()
        assert not outer.were_read
        thread = threading.Thread(target=mark_sizes_read)
        thread.start()
        thread.join()
        assert not outer.were_read
        mark_sizes_read()
        assert outer.were_read
