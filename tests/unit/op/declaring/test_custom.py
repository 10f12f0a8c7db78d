"""Tests of CustomOp, CustomOpProp and stringify."""

from collections import namedtuple

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import AttributeValueError
from opforge.op.declaring.custom import CustomOp, CustomOpProp, stringify

Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("req", "expected"), [("null", [1, 1]), ("write", [5, 5]), ("inplace", [5, 5]), ("add", [6, 6])]
)
def test_assign(req, expected):
    dst = np.ones(2, "float32")
    CustomOp().assign(dst, req, 5)
    assert dst.tolist() == expected


@pytest.mark.parametrize("src", [np.array([1.0, 2.0]), [1, 2], nd.array([1, 2]), 1.5])
def test_everything_that_can_be_written_can_be_added(src):
    dst = nd.full((2,), 10)
    CustomOp().assign(dst, "add", src)
    want = np.float32(10) + (src.asnumpy() if isinstance(src, nd.NDArray) else np.asarray(src))
    assert dst.asnumpy().tolist() == np.broadcast_to(want, 2).tolist()


def test_assign_rejects_an_unknown_request():
    with pytest.raises(AttributeValueError, match="req 'wrte' is unknown"):
        CustomOp().assign(np.ones(2), "wrte", 0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (None, "None"),
        (1e20, "1e+20"),
        (np.float32(2), "2.0"),
        ((np.int64(2), 3), "(2, 3)"),
        ([(np.float64(0.5),)], "[(0.5,)]"),
        ({"a": np.int8(1)}, "{'a': 1}"),
        (Pair(np.int64(1), 2), "Pair(a=1, b=2)"),
        ("text", "text"),
    ],
)
def test_stringify(value, text):
    assert stringify(value) == text


def test_defaults():
    prop = CustomOpProp(need_top_grad=False)
    assert (prop.list_arguments(), prop.list_outputs()) == (["data"], ["output"])
    assert prop.infer_shape([[2, 3]]) == ([[2, 3]], ([2, 3],), ())
    assert prop.infer_type([np.float64]) == ([np.float64], [np.float64], [])
    assert prop.infer_storage_type(["default"]) == (["default"], ["default"], [])
    assert prop.declare_backward_dependency([0], [1], [2]) == [1, 2]
    assert CustomOpProp().declare_backward_dependency([0], [1], [2]) == [0, 1, 2]
    assert isinstance(prop.create_operator(None, [], []), CustomOp)
    with pytest.raises(AssertionError, match="csr"):
        prop.infer_storage_type(["csr"])
