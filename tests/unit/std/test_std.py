"""The table of rows in its entirety."""

import re

import numpy as np
import pytest

from opforge import nd, std, sym
from opforge.base.errors import DTypeError
from opforge.op.registry.registry import OPERATORS, lookup, names, transaction


def test_rows_are_registered_under_name_and_aliases():
    for row in std.ROWS:
        for name in (row.name, *row.aliases):
            entry = lookup(name)
            assert entry.prop_class is row
            assert (entry.kind, entry.provider) == ("std", "opforge")


def test_rows_stay_when_the_plugin_that_first_needed_them_fails(monkeypatch):
    monkeypatch.setattr(OPERATORS, "_table", {})
    with pytest.raises(RuntimeError), transaction():
        std.register()
        raise RuntimeError
    assert "exp" in OPERATORS.names()


def test_names_are_unique():
    every = [name for row in std.ROWS for name in (row.name, *row.aliases)]
    assert sorted(every) == sorted(set(every))


def test_every_row_is_documented():
    for row in std.ROWS:
        assert row.doc_line().endswith("."), row.name
        for attribute in row.attributes.values():
            assert attribute.doc.endswith("."), (row.name, attribute.name)


def test_every_row_differentiates_or_says_that_it_does_not():
    for row in std.ROWS:
        has_gradient = row.gradient is not None or row.compose is not None
        assert has_gradient or not row.differentiable, row.name


def test_registering_again_changes_nothing():
    before = names()
    std.register()
    assert names() == before


#: Operators that return an index or a count, as their name says, in MXNet too.
TELLS_PLACES = re.compile(
    "arg(min|max|sort)|topk|multinomial|count|histogram|ravel|index|size_|shape_a"
)
#: Operators that hold neither, or always hold them in int64.
HARMLESS = {
    "_backward_sample_multinomial",
    "_backward_topk",
    "_contrib_index_array",
    "_contrib_index_copy",
    "choose_element_0index",
    "fill_element_0index",
    "shape_array",
    "size_array",
}


def test_every_row_that_gives_positions_says_how_high_they_get():
    found = {name for name in names() if TELLS_PLACES.search(name)} - HARMLESS
    assert {"argmax", "argmin", "argmax_channel", "argsort", "topk"} <= found
    for name in found:
        assert lookup(name).prop_class.highest_position is not None, name


def test_positions_that_the_type_cannot_hold_are_rejected():
    x = nd.arange(300)
    small = x.astype("uint8")
    calls = {
        "argmax": lambda: nd.argmax(small, axis=0),
        "argmin": lambda: nd.argmin(small.reshape((2, 150))),  # flattened: 300
        "argmax_channel": lambda: nd.argmax_channel(small.reshape((1, 300))),
        "argsort": lambda: nd.argsort(x, dtype="uint8"),
        "topk": lambda: nd.topk(x, k=1, ret_typ="both", dtype="uint8"),
        "sample_multinomial": lambda: nd.sample_multinomial(x, dtype="uint8"),
    }
    for name, call in calls.items():
        with pytest.raises(DTypeError, match=f"'{name}'.* up to 299, but uint8 .*dtype='int64'"):
            call()


def test_positions_that_the_type_holds_are_given_in_it():
    x = nd.arange(256)
    assert nd.argmax(x.astype("uint8"), axis=0).asnumpy().tolist() == [255]
    assert nd.argsort(x, dtype="uint8")[-1].asscalar() == 255
    assert nd.topk(nd.arange(300), ret_typ="value", dtype="uint8").asscalar() == 299
    half = nd.zeros((2049, 1), dtype="float16")
    half[2048] = 1
    assert nd.argmax(half, axis=0).asscalar() == 2048
    with pytest.raises(DTypeError, match="2049, but float16"):
        nd.argmax(nd.zeros((2050, 1), dtype="float16"), axis=0)


def test_the_type_of_positions_is_chosen():
    x = nd.arange(300).astype("uint8")
    for call in (nd.argmax, nd.argmin, nd.argmax_channel):
        found = call(x.reshape((1, 300)), dtype="int64")
        assert found.dtype is np.int64
    assert nd.argmax(x, axis=0, dtype="int32").asscalar() == 255
    assert nd.argmin(nd.array([3, 1]), axis=0).dtype is np.float32  # as in MXNet


def test_graphs_reject_them_before_allocation():
    net = sym.argmax(sym.var("x", dtype="uint8"), axis=0, name="best")
    with pytest.raises(DTypeError, match=r"node 'best' .*up to 299, but uint8"):
        net.simple_bind(None, x=(300,))
    assert net.simple_bind(None, x=(256,)).forward()[0].dtype is np.uint8
