"""What dispatch caches: declarations for attribute values, plans for shapes and types."""

import pytest

import opforge as mx
from opforge import nd


class Counting(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0])


@pytest.fixture
def counted():
    calls = {"made": 0, "shapes": 0}

    class CountingProp(mx.operator.CustomOpProp):
        def __init__(self, k="1"):
            super().__init__()
            calls["made"] += 1

        def infer_shape(self, in_shape):
            calls["shapes"] += 1
            return [in_shape[0]], [in_shape[0]], []

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Counting()

    mx.operator.register("counted_by_plans")(CountingProp)
    return calls


def _call(x, **attributes):
    return nd.Custom(x, op_type="counted_by_plans", **attributes)


def test_declarations_are_made_once_for_each_attribute_value(counted):
    x = nd.ones((3,))
    for _ in range(5):
        _call(x)
    assert counted["made"] == 1
    _call(x, k=2)
    _call(x, k=2)
    assert counted["made"] == 2


def test_shapes_are_inferred_once_for_each_combination(counted):
    for _ in range(4):
        _call(nd.ones((3,)))
        _call(nd.ones((2, 2)))
    assert counted["shapes"] == 2
    _call(nd.ones((3,), dtype="float64"))
    assert counted["shapes"] == 3


def test_registering_again_forgets_what_was_cached(counted):
    assert _call(nd.ones((2,))).asnumpy().tolist() == [1.0, 1.0]

    class Twice(Counting):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * 2)

    class TwiceProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Twice()

    mx.operator.register("counted_by_plans")(TwiceProp)
    assert _call(nd.ones((2,))).asnumpy().tolist() == [2.0, 2.0]


def test_more_attribute_values_than_are_remembered():
    x = nd.ones((2,))
    for value in range(700):
        assert (nd.clip(x, a_min=value, a_max=value + 1)).asnumpy()[0] == max(value, 1)
