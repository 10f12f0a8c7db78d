"""Calls of C functions: their arguments, results and errors."""

import contextlib
import gc
import re
import threading

import numpy as np
import pytest

import opforge
from opforge import autograd, nd, random
from opforge.base.dtypes import code_of
from opforge.base.errors import (
    AttributeValueError,
    DTypeError,
    NativeError,
    OperatorError,
    OutOfMemoryError,
    PluginError,
    ShapeError,
)
from opforge.gluon import HybridBlock
from opforge.native.abi import inference
from opforge.native.abi.computations import ForeignForward
from opforge.native.abi.instance import ForeignInstance
from opforge.native.abi.table import CPU, DTYPES, ForeignOperator
from opforge.op.abi.library import find_operators
from opforge.plugin_api import Attribute
from opforge.testing import check_gradients, check_ways

from .declarations import FIXED, ONE, declare, declare_all, registered


@pytest.fixture(scope="module", autouse=True)
def operators(checks):
    with registered(declare_all(checks), "abi-checks"):
        yield


X = [[1.0, -2.0, 3.0], [0.5, 0.25, 8.0]]


def test_an_operator_runs_on_every_path():
    check_ways(lambda F, x: F.abi_scale(x, scale=3), [X])
    check_gradients(lambda x: nd.abi_scale(x, scale=3), [X])


def test_several_inputs_and_outputs_and_all_that_backward_may_read():
    check_ways(lambda F, x, y: list(F.abi_product(x, y)), [X, np.array(X) + 1])
    check_gradients(lambda x, y: nd.abi_product(x, y)[0], [X, np.array(X) + 1])


@pytest.mark.parametrize("shape", [(1,), (0, 3), (2, 1, 1, 3, 1, 1, 2), (1,) * 32, (70000,)])
def test_views_of_any_shape(shape):
    x = nd.array(np.arange(np.prod(shape)).reshape(shape), dtype="float64")
    np.testing.assert_array_equal(nd.abi_scale(x).asnumpy(), 2 * x.asnumpy())


def test_requests_and_overlaps():
    memory = nd.array([1.0, 2, 3, 4], dtype="float64")
    nd.abi_scale(memory[0:3], out=memory[1:4])
    assert memory.asnumpy().tolist() == [1, 2, 4, 6]
    x = nd.array([1.0, 2], dtype="float64")
    x.attach_grad(grad_req="add")
    for _ in range(2):
        with autograd.record():
            y = nd.abi_scale(x, scale=5)
        y.backward()
    assert x.grad.asnumpy().tolist() == [10, 10]


def test_functions_run_without_the_gil():
    assert nd.abi_gil(nd.ones((1,), dtype="float64")).asscalar() == 0


def test_two_threads_run_concurrently():
    results = []

    def call():
        results.append(nd.abi_meet(nd.ones((1,), dtype="float64")).asscalar())

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert results == [1, 1]


@pytest.mark.parametrize(
    ("status", "error", "builtin"),
    [
        (1, NativeError, RuntimeError),
        (2, ShapeError, ValueError),
        (3, DTypeError, TypeError),
        (4, AttributeValueError, ValueError),
        (5, OutOfMemoryError, MemoryError),
        (-77, NativeError, RuntimeError),
    ],
)
def test_errors_of_functions_become_exceptions(status, error, builtin):
    x = nd.ones((2, 3), dtype="float64")
    wanted = re.escape(
        f"operator 'abi_fail' (plugin abi-checks 1.0) raised {error.__qualname__} in forward: "
        "the tea is cold (input shapes: (2, 3))"
    )
    with pytest.raises(OperatorError, match=wanted) as caught:
        nd.abi_fail(x, status=status, text="the tea is cold")
    assert isinstance(caught.value.__cause__, error) and isinstance(caught.value, builtin)
    nd.abi_fail(x, status=0, text="all is well")


@pytest.mark.parametrize("recorded", [False, True])
def test_errors_in_a_graph_name_the_operator(recorded):
    class Block(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.abi_fail(x, text="the tea is cold")

    block = Block()
    block.hybridize()
    wanted = r"'abi_fail' \(plugin abi-checks 1.0\).*tea is cold"
    with pytest.raises(OperatorError, match=wanted), autograd.record(recorded):
        block(nd.ones((2,), dtype="float64"))


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_gradient_that_fails_names_operator_and_plugin(hybridized):
    class Block(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.abi_fail(x, status=0)

    block = Block()
    block.hybridize(hybridized)
    x = nd.ones((2,), dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = block(x)
    wanted = (
        r"^operator 'abi_fail' \(plugin abi-checks 1.0\) raised ShapeError in backward: "
        "the milk is cold too"
    )
    with pytest.raises(ShapeError, match=wanted):
        y.backward()


def test_calls_leak_no_memory(expect_no_blocks_left):
    """Neither memory of Python nor of arrays is leaked, whether calls succeed or fail."""
    x = nd.ones((4,), dtype="float64")
    x.attach_grad()

    def calls(count):
        for _ in range(count):
            with autograd.record():
                y = nd.abi_scale(x) * nd.abi_noise(x)
            y.backward()
            with contextlib.suppress(OperatorError):
                nd.abi_fail(x, text="cold")
            nd.abi_scratch(x)

    calls(50)
    gc.collect()
    arrays = opforge.memory_stats()["live_bytes"]
    expect_no_blocks_left(lambda: calls(1000))
    assert opforge.memory_stats()["live_bytes"] == arrays


def test_error_messages_may_be_any_text():
    x = nd.ones((1,), dtype="float64")
    with pytest.raises(
        NativeError, match="the function returned status 1 without calling set_error"
    ) as caught:
        _cause(lambda: nd.abi_fail(x))
    with pytest.raises(NativeError, match=r"^é{500}$"):
        _cause(lambda: nd.abi_fail(x, text="é" * 4000))
    assert "abi_fail" not in str(caught.value)


def _cause(call):
    try:
        call()
    except OperatorError as error:
        raise error.__cause__ from None


@pytest.mark.usefixtures("no_collector")
def test_scratch_memory_is_aligned_and_released():
    x = nd.ones((1,), dtype="float64")
    assert nd.abi_scratch(x).asscalar() == 2 * sum(range(1, 8))
    lent = opforge.memory_stats()["lent_bytes"]
    for _ in range(100):
        nd.abi_scratch(x)
    assert opforge.memory_stats()["lent_bytes"] == lent


def test_parallel_loops_process_each_element_once():
    x = nd.ones((100_000,), dtype="float64")
    np.testing.assert_array_equal(nd.abi_parallel(x).asnumpy(), np.arange(100_000))


def test_attributes_of_every_type():
    x = nd.ones((1,), dtype="float64")
    given = {
        "a": -7,
        "b": 0.5,
        "c": True,
        "d": "déjà",
        "e": (3, 4),
        "f": (0.25, 1),
        "g": (1, None),
        "h": "int64",
        "i": None,
    }
    total = -7 + 0.5 + 1 + 6 + 7 + 1.25 + 5001 + DTYPES[code_of("int64")] + 1000
    assert nd.abi_attributes(x, **given).asscalar() == total
    assert (
        nd.abi_attributes(x, **{key: str(value) for key, value in given.items()}).asscalar()
        == total
    )
    assert nd.abi_attributes(x, i=None).asscalar() == 1000 + DTYPES[code_of("float32")]


def test_create_may_reject_attributes():
    with pytest.raises(AttributeValueError, match=r"abi_attributes.*the sum is 666"):
        nd.abi_attributes(
            nd.ones((1,), dtype="float64"), a=666, h="uint8", b=-DTYPES[code_of("uint8")]
        )
    with pytest.raises(AttributeValueError, match="a=9223372036854775808 does not fit 64 bits"):
        nd.abi_attributes(nd.ones((1,), dtype="float64"), a=2**63)


def test_states_are_destroyed_with_the_operator(checks):
    cls = declare(checks, "attributes", **ONE, **FIXED, a=Attribute(int, default=0))
    gc.collect()
    created, destroyed = checks.counts()
    props = [cls(a=number) for number in range(5)]
    assert checks.counts() == (created + 5, destroyed)
    del props
    gc.collect()
    assert checks.counts() == (created + 5, destroyed + 5)


@pytest.mark.parametrize(
    ("what", "error", "text"),
    [
        (1, ShapeError, "infer replaced the shape pointer of output 0; copy the dimensions"),
        (2, ShapeError, "infer returned 33 dimensions for output 0, expected 0 to 32, or -1"),
        (3, ShapeError, "returned -7 as dimension 0 of output 'output'"),
        (4, DTypeError, "DLPack's code 12, 8 bits and 1 lanes for output 0, expected float32"),
        (8, DTypeError, "DLPack's code 2, 32 bits and 2 lanes for output 0, expected float32"),
        (5, ShapeError, "infer returned -2 dimensions for output 0"),
        (6, ShapeError, "I do not like it"),
        (7, DTypeError, "infer_type left the type of output 'output' unknown"),
    ],
)
def test_invalid_results_of_infer_are_rejected(what, error, text):
    with pytest.raises(error, match=rf"operator 'abi_answers' \(plugin abi-checks 1.0\).*{text}"):
        nd.abi_answers(nd.ones((2, 3), dtype="float64"), what=what)


def test_arrays_that_inference_does_not_expect_never_reach_a_function(checks):
    cls = declare(checks, "gil", differentiable=False)  # its output is like its input
    x = nd.ones((2, 3), dtype="float64")
    compute = cls().compute
    compute([x], [nd.ones((2, 3), dtype="float64")], ["write"])
    with pytest.raises(ShapeError, match=r"output 0 has shape \(1,\), expected \(2, 3\)"):
        compute([x], [nd.ones((1,), dtype="float64")], ["write"])
    with pytest.raises(DTypeError, match="output 0 has dtype float32, expected float64"):
        compute([x], [nd.ones((2, 3))], ["write"])
    with pytest.raises(RuntimeError, match="takes 1 inputs and 1 outputs, got 2 and 1"):
        compute([x, x], [x], ["write"])


def test_uninitialized_objects_are_rejected(checks):
    """Python allows a program to skip ``__init__``, or to call it again."""
    operator = find_operators(checks, "abi_scale")[CPU]
    empty = ForeignInstance.__new__(ForeignInstance)
    answers = ForeignInstance(find_operators(checks, "abi_answers")[CPU], [])
    for wrong in (
        lambda: ForeignInstance(ForeignOperator(), []),
        lambda: ForeignForward(empty, 1, 1, print),
        lambda: inference.infer_shapes(empty, [[1]], 1),
        lambda: inference.infer_shapes(ForeignInstance(operator, []), [[1]], 1),
        lambda: inference.infer_types(answers, [0], -1),
        lambda: ForeignInstance(operator, []).__init__(operator, [("a", "int", 1)]),
        lambda: ForeignForward.__new__(ForeignForward)([nd.ones((1,))], [nd.ones((1,))], ["write"]),
    ):
        with pytest.raises(PluginError):
            wrong()


def test_random_numbers_follow_the_seed_on_every_path():
    x = nd.ones((1000,), dtype="float64")
    random.seed(5)
    first, second = nd.abi_noise(x).asnumpy(), nd.abi_noise(x).asnumpy()
    random.seed(5)
    np.testing.assert_array_equal(nd.abi_noise(x).asnumpy(), first)
    assert first.min() >= 0 and first.max() < 1 and abs(first.mean() - 0.5) < 0.05
    assert not np.array_equal(first, second)
    # A graph that merged the two calls would return zeros.
    check_ways(lambda F, x: F.abi_noise(x) - F.abi_noise(x), [np.ones(4)], wanted=())


def test_random_numbers_need_the_flag():
    assert nd.abi_silence(nd.ones((2,), dtype="float64")).asnumpy().tolist() == [-1, -1]


def test_a_gradient_in_c_cannot_be_differentiated_again():
    x = nd.array([1.0, 2.0], dtype="float64")
    x.attach_grad()
    with autograd.record():
        (grad,) = autograd.grad(nd.abi_product(x, x)[0], [x], create_graph=True)
    with pytest.raises(OperatorError, match="'abi_product' computes its gradient in C"):
        grad.backward()
