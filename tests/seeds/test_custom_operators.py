"""Custom operators as in MXNet's documents, and cases in which MXNet hung on them."""

import multiprocessing
import threading

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd

TIMEOUT = 60


class Sigmoid(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        self.assign(out_data[0], req[0], nd.array(1.0 / (1.0 + np.exp(-x))))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        y, dy = out_data[0].asnumpy(), out_grad[0].asnumpy()
        self.assign(in_grad[0], req[0], nd.array(dy * (1.0 - y) * y))


@mx.operator.register("test_sigmoid")
class SigmoidProp(mx.operator.CustomOpProp):
    def __init__(self):
        super().__init__(need_top_grad=True)

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Sigmoid()


class NdOnly(mx.operator.CustomOp):
    """Calls nd operators, waits and reads values inside forward: MXNet's classic deadlock."""

    def forward(self, is_train, req, in_data, out_data, aux):
        y = nd.Custom(in_data[0], op_type="test_sigmoid")
        y.wait_to_read()
        nd.waitall()
        total = float(nd.sum(y).asscalar())
        self.assign(out_data[0], req[0], y * total)


@mx.operator.register("test_nd_only")
class NdOnlyProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return NdOnly()


def expected_sigmoid(x):
    return 1 / (1 + np.exp(-x))


def run_once(seed=0):
    x = np.random.RandomState(seed).randn(5, 3).astype("float32")
    a = nd.array(x)
    a.attach_grad()
    with autograd.record():
        b = nd.Custom(nd.Custom(a, op_type="test_sigmoid"), op_type="test_sigmoid")
    b.backward()
    inner = expected_sigmoid(x)
    outer = expected_sigmoid(inner)
    np.testing.assert_allclose(b.asnumpy(), outer, rtol=1e-5)
    np.testing.assert_allclose(
        a.grad.asnumpy(), outer * (1 - outer) * inner * (1 - inner), rtol=1e-4
    )


def test_forward_and_backward():
    run_once()


def test_calls_and_waits_inside_forward():
    x = nd.array([0.0, 1.0])
    y = nd.Custom(x, op_type="test_nd_only")
    s = expected_sigmoid(np.array([0.0, 1.0]))
    np.testing.assert_allclose(y.asnumpy(), s * s.sum(), rtol=1e-6)


def test_many_custom_operators_in_threads():
    errors = []

    def work(seed):
        try:
            for step in range(20):
                run_once(seed * 100 + step)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
        assert not thread.is_alive()
    assert errors == []


def _child(queue):
    try:
        run_once(1)
        y = nd.Custom(nd.ones((300, 300)), op_type="test_nd_only")
        big = (nd.ones((1000, 1000)) * 2).sum()
        queue.put((float(y[0, 0].asscalar()), float(big.asscalar())))
    except BaseException as error:
        queue.put(repr(error))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_custom_operators_in_a_forked_child():
    run_once()
    nd.ones((1000, 1000)).sum().wait_to_read()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(queue,))
    child.start()
    result = queue.get(timeout=TIMEOUT)
    child.join(TIMEOUT)
    assert child.exitcode == 0
    s = expected_sigmoid(1.0)
    np.testing.assert_allclose(result, (s * s * 90000, 2e6), rtol=1e-3)


def test_state_of_forward_is_there_in_backward():
    class Keeps(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.scale = float(in_data[0].asnumpy().sum())
            self.assign(out_data[0], req[0], in_data[0] * 2)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] * self.scale)

    @mx.operator.register("test_keeps")
    class KeepsProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Keeps()

    a, b = nd.array([1.0, 2.0]), nd.array([10.0, 20.0])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        y, z = nd.Custom(a, op_type="test_keeps"), nd.Custom(b, op_type="test_keeps")
    autograd.backward([y, z])
    assert a.grad.asnumpy().tolist() == [3, 3]
    assert b.grad.asnumpy().tolist() == [30, 30]


def test_auxiliary_states_are_kept_and_changed():
    class Counts(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            aux[0][:] += 1
            self.assign(out_data[0], req[0], in_data[0] * aux[0].asscalar())

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] * aux[0].asscalar())

    @mx.operator.register("test_counts")
    class CountsProp(mx.operator.CustomOpProp):
        def list_auxiliary_states(self):
            return ["count"]

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0]], [[1]]

        def create_operator(self, ctx, in_shapes, in_dtypes):
            assert in_shapes == [[2], [1]]
            return Counts()

    x, count = nd.array([1.0, 2.0]), nd.zeros((1,))
    x.attach_grad()
    for expected in (1, 2, 3):
        with autograd.record():
            y = nd.Custom(x, count, op_type="test_counts")
        assert y.asnumpy().tolist() == [expected, 2 * expected]
        y.backward()
        assert x.grad.asnumpy().tolist() == [expected, expected]
    assert count.asscalar() == 3


def test_inner_autograd_does_not_touch_the_outer_graph():
    class Inner(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            x = in_data[0]
            x.attach_grad()
            with autograd.record():
                y = x * x
            y.backward()
            self.assign(out_data[0], req[0], x.grad)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], 2 * out_grad[0])

    @mx.operator.register("test_inner")
    class InnerProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Inner()

    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x * 3, op_type="test_inner")
    y.backward()
    assert y.asnumpy().tolist() == [6, 12]
    assert x.grad.asnumpy().tolist() == [6, 6]


def test_several_outputs_and_inputs_by_name():
    class Split(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] + in_data[1])
            self.assign(out_data[1], req[1], in_data[0] - in_data[1])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] + out_grad[1])
            self.assign(in_grad[1], req[1], out_grad[0] - out_grad[1])

    @mx.operator.register("test_split")
    class SplitProp(mx.operator.CustomOpProp):
        def list_arguments(self):
            return ["left", "in"]

        def list_outputs(self):
            return ["sum", "difference"]

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0], in_shape[0]], []

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Split()

    a, b = nd.array([5.0]), nd.array([3.0])
    a.attach_grad()
    with autograd.record():
        total, difference = nd.Custom(op_type="test_split", **{"in": b, "left": a})
    assert (total.asscalar(), difference.asscalar()) == (8, 2)
    total.backward()
    assert a.grad.asscalar() == 1
    with pytest.raises(mx.MXNetError, match="no free input named right"):
        nd.Custom(a, op_type="test_split", right=b)


def test_grad_req_add_reaches_the_operator():
    seen = []

    class Sees(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            seen.append(req[0])
            self.assign(in_grad[0], req[0], out_grad[0])

    @mx.operator.register("test_sees")
    class SeesProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Sees()

    x = nd.array([1.0, 2.0])
    x.attach_grad("add")
    for _ in range(3):
        with autograd.record():
            y = nd.Custom(x, op_type="test_sees")
        y.backward()
    assert x.grad.asnumpy().tolist() == [3, 3]
    assert seen == ["add"] * 3
