import threading

import pytest

from opforge import np_shape, sym
from opforge.base.errors import UnknownShapeError
from opforge.symbol.node import Type
from opforge.symbol.size_tracking import ignoring_sizes, mark_sizes_read, tracking_sizes
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


def test_the_first_read_is_located():
    with tracking_sizes() as sizes:
        assert sizes.line is None
        mark_sizes_read()
        first = sizes.line
        assert first.startswith(f'"{__file__}", line ')
        mark_sizes_read()
        assert sizes.line == first


@pytest.mark.parametrize("shape", [(0, 3), ()], ids=str)
def test_an_unknown_size_is_an_error_and_not_a_number(shape):
    for read in (lambda x: x.shape, lambda x: x.size):
        with tracking_sizes() as sizes:
            with pytest.raises(UnknownShapeError, match="<Symbol x> has a shape that is unknown"):
                read(typed_variable("x", shape, 0))
            assert "<Symbol x>" in sizes.unknown
            assert sizes.were_read
    with tracking_sizes() as sizes, pytest.raises(UnknownShapeError, match="infer_shape"):
        len(sym.var("x").shape)
    with np_shape():
        assert typed_variable("x", (), 0).shape == ()


def test_known_sizes_may_be_ignored_and_unknown_ones_not():
    with tracking_sizes() as sizes:
        with ignoring_sizes():
            assert variable().shape
        assert not sizes.were_read
        with ignoring_sizes(), pytest.raises(UnknownShapeError):
            len(typed_variable("x", (0,), 0).shape)
        assert sizes.unknown
