"""Fusion: which elementwise steps are joined, and that the order of all others is kept."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import cpu, nd, sym
from opforge.base.dtypes import code_of
from opforge.native.graph.steps import StoreStep
from opforge.symbol.compiler.call import Call, Elementwise, Reduction
from opforge.symbol.compiler.fusion import fuse
from opforge.symbol.node import Type

VECTOR, OTHER, SCALAR = Type((5,), 0), Type((6,), 0), Type((1,), 0)
MATRIX, COLUMN = Type((3, 5), 0), Type((3, 1), 0)


def unary(source, target, kernel="exp"):
    how = Elementwise("unary", kernel)
    return Call(lambda made: None, f"n{target}", [source], [target], [(0, 0)], how, target)


def binary(left, right, target):
    how = Elementwise("binary", "add")
    return Call(lambda made: None, f"n{target}", [left, right], [target], (), how, target)


def folds(source, target, *axes, kernel="sum"):
    made = Call(lambda made: None, f"n{target}", [source], [target], (), None, target)
    return replace(made, reduction=Reduction(kernel, axes))


def opaque(source, target):
    return Call(lambda made: StoreStep(), f"n{target}", [source], [target], (), None, target)


def fused(calls, types=None, n_forward=None, kept=(), states=()):
    slots = 1 + max(slot for call in calls for slot in (*call.inputs, *call.outputs))
    n = len(calls) if n_forward is None else n_forward
    return fuse(calls, n, types or [VECTOR] * slots, set(kept), set(states))


def shape_of(calls):
    return [(call.inputs, call.outputs) for call in calls]


def test_a_chain_is_one_step():
    found, n = fused([unary(0, 1), unary(1, 2), unary(2, 3)], kept={3})
    assert shape_of(found) == [([0], [3])] and n == 1
    assert found[0].label == "n1+n2+n3"


def test_a_result_that_others_need_is_an_output():
    found, _ = fused([unary(0, 1), unary(1, 2), opaque(1, 3)], kept={2, 3})
    assert shape_of(found) == [([0], [1, 2]), ([1], [3])]


def test_a_step_that_reads_a_result_ends_the_group():
    found, _ = fused([unary(0, 1), opaque(1, 2), unary(1, 3), unary(3, 4)], kept={2, 4})
    assert shape_of(found) == [([0], [1]), ([1], [2]), ([1], [4])]


def test_branches_meet():
    found, _ = fused([unary(0, 1), unary(0, 2), binary(1, 2, 3)], kept={3})
    assert shape_of(found) == [([0], [3])]


def test_other_shapes_and_types_stay_apart():
    types = [VECTOR, VECTOR, OTHER]
    found, _ = fused([unary(0, 1), unary(1, 2)], types, kept={2})
    assert len(found) == 2
    half = [Type((5,), 2)] * 3
    found, _ = fused([unary(0, 1), unary(1, 2)], half, kept={2})
    assert len(found) == 2


def test_bfloat16_joins_without_reductions():
    types = [Type((3, 5), code_of("bfloat16"))] * 3
    found, _ = fused([unary(0, 1), unary(1, 2)], types, kept={2})
    assert shape_of(found) == [([0], [2])]
    types[2] = Type((3,), code_of("bfloat16"))
    found, _ = fused([unary(0, 1), folds(1, 2, 1)], types, kept={2})
    assert len(found) == 2


def test_broadcast_inputs_join():
    types = [Type((2, 5), 0), Type((5,), 0), Type((2, 5), 0), Type((2, 5), 0)]
    (found,), _ = fused([binary(0, 1, 2), unary(2, 3)], types, kept={3})
    assert found.inputs == [0, 1] and found.outputs == [3]
    assert found.in_place == [(0, 0)]


def test_a_group_ends_in_a_reduction():
    types = [VECTOR, VECTOR, SCALAR]
    (found,), n = fused([unary(0, 1), folds(1, 2, 0)], types, kept={2})
    assert (found.inputs, found.outputs, found.label, n) == ([0], [2], "n1+n2", 1)
    assert found.in_place == []


def test_folded_values_may_be_outputs():
    types = [VECTOR, VECTOR, SCALAR, VECTOR]
    (found,), _ = fused([unary(0, 1), folds(1, 2, 0), unary(1, 3)], types, kept={2, 1, 3})
    assert (found.inputs, found.outputs) == ([0], [1, 3, 2])
    assert found.in_place == [(0, 0), (0, 1)]


def test_readers_of_a_reduction_follow_the_group():
    types = [MATRIX, MATRIX, COLUMN, MATRIX]
    found, _ = fused([unary(0, 1), folds(1, 2, 1), binary(1, 2, 3)], types, kept={3})
    assert shape_of(found) == [([0], [1, 2]), ([1, 2], [3])]


def test_reductions_of_one_group_fold_the_same_axes():
    types = [MATRIX, MATRIX, COLUMN, COLUMN, SCALAR]
    calls = [unary(0, 1), folds(1, 2, 1), folds(1, 3, 1, kernel="max"), folds(1, 4, 0, 1)]
    found, _ = fused(calls, types, kept={2, 3, 4})
    assert shape_of(found) == [([0], [1, 2, 3]), ([1], [4])]


def test_too_many_reductions_are_divided():
    types = [VECTOR, VECTOR, *[SCALAR] * 6]
    calls = [unary(0, 1), *(folds(1, k, 0) for k in range(2, 8))]
    found, _ = fused(calls, types, kept=set(range(2, 8)))
    assert shape_of(found) == [([0], [1, 2, 3]), ([1], [4, 5, 6, 7])]


def test_branches_with_other_reductions_stay_apart():
    types = [MATRIX, MATRIX, COLUMN, MATRIX, SCALAR, MATRIX]
    calls = [unary(0, 1), folds(1, 2, 1), unary(0, 3), folds(3, 4, 0, 1), binary(1, 3, 5)]
    found, _ = fused(calls, types, kept={2, 4, 5})
    assert sorted(slot for call in found for slot in call.outputs if slot in (2, 4, 5)) == [2, 4, 5]
    assert len(found) == 2


@pytest.mark.parametrize(
    ("types", "axes"),
    [
        ([MATRIX, MATRIX, VECTOR], (0,)),
        ([Type((0, 5), 0), Type((0, 5), 0), Type((0,), 0)], (1,)),
        ([VECTOR, VECTOR, Type((1,), 1)], (0,)),
        ([Type((5,), 2), Type((5,), 2), Type((1,), 2)], (0,)),
    ],
)
def test_other_reductions_stay_apart(types, axes):
    found, _ = fused([unary(0, 1), folds(1, 2, *axes)], types, kept={2})
    assert len(found) == 2


def test_the_passes_stay_apart():
    found, n = fused([unary(0, 1), unary(1, 2)], n_forward=1, kept={1, 2})
    assert len(found) == 2 and n == 1


def test_readers_of_a_state_are_not_moved():
    found, _ = fused([unary(0, 1), unary(1, 2)], kept={2}, states={1})
    assert len(found) == 2


def test_outputs_may_overwrite_inputs_read_last():
    calls = [unary(0, 2), binary(2, 1, 3), unary(3, 4), binary(4, 0, 5)]
    (found,), _ = fused(calls, kept={5, 3})
    assert found.inputs == [0, 1] and found.outputs == [3, 5]
    # Input 0 is read again after output 3 is written; input 1 is not.
    assert sorted(found.in_place) == [(0, 1), (1, 0), (1, 1)]


def test_many_outputs_are_divided():
    calls = [unary(k, k + 1) for k in range(20)]
    found, _ = fused(calls, kept=set(range(1, 21)))
    assert len(found) > 1
    assert sorted(slot for call in found for slot in call.outputs) == list(range(1, 21))


OPERATIONS = ("tanh", "square", "add", "multiply", "scalar", "softmax", "sum", "total", "row")


@pytest.mark.plugins
@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 50), st.integers(0, 50))))
def test_random_graphs_compute_the_same(rows):
    rng = np.random.default_rng(len(rows))
    values = [nd.array(rng.normal(size=(3, 4))) for _ in range(2)]
    symbols = [sym.var("a"), sym.var("b")]
    given_arrays = {"a": values[0], "b": values[1]}
    for name, i, j in rows:
        results = []
        for namespace, items in ((nd, values), (sym, symbols)):
            x, y = items[i % len(items)], items[j % len(items)]
            if name in ("add", "multiply"):
                results.append(x + y if name == "add" else x * y)
            elif name == "scalar":
                results.append(1.5 - x)
            elif name == "row":
                row = namespace.slice_axis(y, axis=0, begin=0, end=1)
                results.append(namespace.tanh(namespace.broadcast_sub(x, row)))
            elif name == "sum":
                total = namespace.sum(x, axis=1, keepdims=True)
                results.append(namespace.broadcast_mul(x, total))
            elif name == "total":
                results.append(namespace.broadcast_sub(x, namespace.mean(namespace.exp(-x * x))))
            else:
                results.append(getattr(namespace, name)(x))
        values.append(results[0])
        symbols.append(results[1])
    executor = sym.Group(symbols[1:]).bind(cpu(), given_arrays)
    for expected, found in zip(values[1:], executor.forward(), strict=True):
        np.testing.assert_array_equal(expected.asnumpy(), found.asnumpy())


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32"])
def test_every_type_computes_the_same(dtype):
    x = nd.array(np.arange(1, 2000) % 9, dtype=dtype)  # all values are exact
    variable = sym.var("x")
    symbol = (variable * 3 - 1) * variable
    (found,) = symbol.bind(cpu(), {"x": x}).forward()
    np.testing.assert_array_equal(found.asnumpy(), ((x * 3 - 1) * x).asnumpy())
