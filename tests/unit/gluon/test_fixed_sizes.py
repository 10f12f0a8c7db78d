import warnings

import numpy as np
import pytest

from opforge import gluon, nd
from opforge.gluon.fixed_sizes import fixed_sizes


def exported(block, path):
    """Return the exported block, and the warnings of its export."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        block.export(str(path / "net"))
    return gluon.SymbolBlock.imports(f"{path}/net-symbol.json", ["data"]), [
        str(w.message) for w in seen
    ]


@pytest.mark.parametrize(
    ("function", "sizes"),
    [
        (lambda F, x: x.sum() / x.shape[0], [2]),
        (lambda F, x: x.reshape((x.shape[0], -1)), [2]),
        (lambda F, x: F.broadcast_add(x, F.ones(x.shape)), [2, 3]),
        (lambda F, x: sum(x), [2]),
        (lambda F, x: x * len(x[0]), [3]),
        (lambda F, x: x * (x.shape[0] // x.shape[0]), []),
        (lambda F, x: x[1:] + x[-1], []),
    ],
)
def test_the_sizes_that_a_graph_holds(function, sizes, hybrid):
    block = hybrid(function)
    block(nd.ones((2, 3)))
    assert fixed_sizes(block, block._graph.last_trace()) == sizes


def test_sizes_that_a_block_expects_are_not_in_the_graph(hybrid):
    def checked(F, x):
        assert x.shape[1] == 3
        return x * 2

    block = hybrid(checked)
    block(nd.ones((2, 3)))
    assert not fixed_sizes(block, block._graph.last_trace())


def test_export_warns_and_names_the_line(hybrid, tmp_path):
    block = hybrid(lambda F, x: x.sum() / x.shape[0])
    block(nd.ones((2, 3)))
    _, (text,) = exported(block, tmp_path)
    assert "only for inputs of the same sizes" in text
    assert "(2, 3), where they are 2," in text
    assert f'"{__file__}", line' in text
    assert "F.shape_array" in text


def test_operators_that_follow_the_input_are_exported_without_a_word(hybrid, tmp_path):
    def mean(F, x):
        assert x.shape[0] > 0
        return x.sum() / F.slice_axis(F.shape_array(x), axis=0, begin=0, end=1).astype("float32")

    block = hybrid(mean)
    block(nd.ones((2, 3)))
    again, seen = exported(block, tmp_path)
    assert not seen
    np.testing.assert_array_equal(again(nd.ones((5, 3))).asnumpy(), [3])
