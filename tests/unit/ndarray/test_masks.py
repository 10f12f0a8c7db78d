"""Indexing by masks: which arrays are masks, and the results."""

import warnings

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd, sym
from opforge.base.errors import OpforgeError
from opforge.native.array import copy_into, is_mask
from opforge.plugin_api import kernels

A = nd.array([1, 2, 3])

MASKS = {
    "greater": lambda: A > 2,
    "equal": lambda: A == A,
    "broadcast": lambda: nd.broadcast_lesser(nd.ones((2, 1)), A),
    "function": lambda: nd.greater_equal(A, 2),
    "reflected": lambda: A > 2,
    "not": lambda: nd.logical_not(A > 2),
    "and": lambda: nd.logical_and(A > 1, A < 3),
    "xor with a number": lambda: nd.logical_xor(A > 1, 1),
    "isnan": lambda: nd.contrib.isnan(A),
    "copy": lambda: (A > 2).copy(),
    "view": lambda: (A > 2)[1:],
    "detached": lambda: (A > 2).detach(),
    "reshaped": lambda: (A > 2).reshape((3, 1)),
    "int32": lambda: A.astype("int32") > 2,
    "flat": lambda: nd.flatten(A > 2),
    "copied": lambda: (A > 2).copyto(nd.zeros(3)),
    "assigned": lambda: _assign(A > 2),
    "by a kernel": lambda: _by_kernel("greater"),
}
NUMBERS = {
    "numbers": lambda: nd.array([0, 1, 1]),
    "zeros": lambda: nd.zeros(3),
    "positions": lambda: nd.argsort(A),
    "cast": lambda: (A > 2).astype("int32"),
    "counted": lambda: (A > 2) + (A > 1),
    "multiplied": lambda: (A > 2) * 1,
    "chosen": lambda: nd.where(A > 2, A, nd.zeros_like(A)),
    "written by an operator": lambda: nd.dot(nd.ones((3, 3)), A, out=A > 2),
    "copied over": lambda: A.copyto(A > 2),
    "added to": lambda: _by_kernel("greater", req="add"),
    "by a kernel": lambda: _by_kernel("maximum"),
}

#: The same in graphs: functions of F and two arrays of three elements.
GRAPHS = {
    "greater": lambda F, a, b: a > b,
    "a number": lambda F, a, b: a + b <= 3,
    "fused": lambda F, a, b: a * 2 > b + 1,
    "fused not": lambda F, a, b: F.logical_not(a * 2 > b),
    "fused copy": lambda F, a, b: F.identity(a * 2 > b),
    "and": lambda F, a, b: F.broadcast_logical_and(a > 1, b > 1),
    "isfinite": lambda F, a, b: F.contrib.isfinite(a - b),
    "reshaped": lambda F, a, b: F.squeeze((a * 2 > b).reshape((3, 1))),
    "stopped": lambda F, a, b: F.BlockGrad(a > b),
    "separate": lambda F, a, b: F.broadcast_equal(a, a - b + b),
    "numbers": lambda F, a, b: a + b,
    "counted": lambda F, a, b: (a > b) + (b > a),
    "chosen": lambda F, a, b: F.where(a > b, a, b),
    "its register used again": lambda F, a, b: F.abs((a > b) * a + b),
    "cast": lambda F, a, b: F.cast(a > b, dtype="int32"),
    "part": lambda F, a, b: F.slice_axis(a > b, axis=0, begin=0, end=2),
}


def _by_kernel(name, req="write"):
    result = nd.zeros(3)
    kernels.binary(name, A, A, result, req)
    return result


def _assign(mask):
    target = nd.zeros(3)
    target[:] = mask
    return target


class _Net(gluon.HybridBlock):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def hybrid_forward(self, F, a, b):
        return self.function(F, a, b)


def _hybridize(function):
    net = _Net(function)
    net.hybridize()
    return net


def _record(function):
    with autograd.record():
        return _hybridize(function)(*(_leaf(x) for x in (A, A[::-1])))


def _leaf(x):
    x = x.copy()
    x.attach_grad()
    return x


def _symbol(function):
    return function(sym, sym.var("a"), sym.var("b"))


def _executor(function, is_train):
    arrays = {"a": A.copy(), "b": A[::-1].copy()}
    return _symbol(function).bind(mx.cpu(), arrays).forward(is_train=is_train)[0]


def _module(function):
    module = mx.mod.Module(_symbol(function), ("a", "b"), label_names=None)
    module.bind([("a", (3,)), ("b", (3,))], for_training=False)
    module.init_params()
    module.forward(mx.io.DataBatch([A, A[::-1]]))
    return module.get_outputs()[0]


def _load(function):
    inputs = [sym.var("a"), sym.var("b")]
    block = gluon.SymbolBlock(sym.load_json(_symbol(function).tojson()), inputs)
    return block(A, A[::-1])


WAYS = {
    "hybridized": lambda f: _hybridize(f)(A, A[::-1]),
    "recorded": _record,
    "eval": lambda f: _symbol(f).eval(a=A, b=A[::-1])[0],
    "predicting executor": lambda f: _executor(f, is_train=False),
    "training executor": lambda f: _executor(f, is_train=True),
    "module": _module,
    "loaded": _load,
}


@pytest.mark.parametrize("name", MASKS)
def test_masks_are_known(name):
    assert is_mask(MASKS[name]())


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_none(name):
    assert not is_mask(NUMBERS[name]())


@pytest.mark.parametrize(
    "way",
    [way if way != "module" else pytest.param(way, marks=pytest.mark.plugins) for way in WAYS],
)
@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_know_as_calls_do(way, name):
    called = GRAPHS[name](nd, A, A[::-1])
    found = WAYS[way](GRAPHS[name])
    np.testing.assert_array_equal(found.asnumpy(), called.asnumpy())
    assert is_mask(found) == is_mask(called)


def test_executors_mark_overwritten_masks_again():
    executor = (sym.var("a") * 2 > 2).bind(mx.cpu(), {"a": A})
    (mask,) = executor.forward()
    mask += 1
    assert not is_mask(mask)
    assert is_mask(executor.forward()[0])


def test_the_author_of_an_operator_in_a_graph_is_told():
    seen = []

    class Looking(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            seen.append(is_mask(in_data[0]))
            self.assign(out_data[0], req[0], in_data[0])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            raise NotImplementedError

    @mx.operator.register("looks_at_a_mask")
    class LookingProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Looking()

    _hybridize(lambda F, a, b: F.Custom(a * 2 > b, op_type="looks_at_a_mask"))(A, A)
    _hybridize(lambda F, a, b: F.Custom(a * 2 + b, op_type="looks_at_a_mask"))(A, A)
    assert seen == [True, False]


def test_a_copy_in_another_type_is_a_cast():
    numbers = nd.zeros(3, dtype="int32")
    copy_into(numbers, A > 2)
    assert not is_mask(numbers)


def test_overwritten_masks_are_not_masks():
    mask = A > 2
    mask += 1
    assert not is_mask(mask)
    mask = A > 2
    mask[:] = nd.array([2, 1, 0])
    assert not is_mask(mask)


def test_reading_and_writing_by_a_mask_warn():
    b = nd.array([1, 2, 3])
    with pytest.warns(FutureWarning, match=r"nd.where.* or nd.contrib.boolean_mask"):
        b[b > 100] = 0
    assert b.asnumpy().tolist() == [0, 2, 3]  # row 0, as in MXNet 1.x
    with pytest.warns(FutureWarning, match="elements are the indices 0 and 1"):
        assert b[b > 2].asnumpy().tolist() == [0, 0, 2]
    with pytest.warns(FutureWarning), autograd.record():
        nd.ones((2, 2))[:, nd.ones(2) > 0]


def test_a_line_warns_once_and_is_named():
    b = nd.array([1, 2, 3])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            b[b > 2]
    assert [warning.filename for warning in seen] == [__file__]


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_index_in_silence(name):
    nd.arange(10)[NUMBERS[name]()]
    nd.arange(10)[NUMBERS[name]()] = 1


def test_a_setting_makes_it_an_error(monkeypatch):
    monkeypatch.setenv("OPFORGE_STRICT_MASKS", "1")
    b = nd.array([1, 2, 3])
    with pytest.raises(OpforgeError, match="boolean_mask"):
        b[b > 100] = 0
    with pytest.raises(OpforgeError, match="boolean_mask"):
        b[b > 2]
    assert b.asnumpy().tolist() == [1, 2, 3]
    assert b[(b > 1).astype("bool")].asnumpy().tolist() == [2, 3]  # selects, as in NumPy
