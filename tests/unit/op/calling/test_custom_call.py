import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd


def register(name, op=None, **methods):
    """Register an operator whose Prop has the given methods."""
    base = type("Op", (mx.operator.CustomOp,), op or {})
    methods.setdefault("create_operator", lambda self, ctx, shapes, dtypes: base())
    return mx.operator.register(name)(type("Prop", (mx.operator.CustomOpProp,), methods))


def copy_forward(self, is_train, req, in_data, out_data, aux):
    self.assign(out_data[0], req[0], in_data[0])


def fails(*args, **kwargs):
    raise KeyError("the author's own")


def last_line(error):
    tb = error.__cause__.__traceback__
    while tb.tb_next:
        tb = tb.tb_next
    return tb.tb_frame.f_code.co_name


def test_attributes_arrive_as_strings():
    seen = {}

    def init(self, **kwargs):
        seen.update(kwargs)
        mx.operator.CustomOpProp.__init__(self)

    register("test_strings", {"forward": copy_forward}, __init__=init)
    nd.Custom(
        nd.ones((1,)), op_type="test_strings", a=True, b=(np.int64(1), 2), c=None, d=1e20, e=[0.5]
    )
    assert seen == {"a": "True", "b": "(1, 2)", "c": "None", "d": "1e+20", "e": "[0.5]"}


@pytest.mark.parametrize("stage", ["forward", "infer_shape", "create_operator", "__init__"])
def test_an_authors_exception_keeps_its_traceback(stage):
    name = f"test_fails_in_{stage.strip('_')}"
    if stage == "forward":
        register(name, {"forward": fails})
    else:
        register(name, {"forward": copy_forward}, **{stage: fails})
    with pytest.raises(mx.OperatorError, match="the author's own") as caught:
        nd.Custom(nd.ones((2, 3)), op_type=name)
    assert isinstance(caught.value.__cause__, KeyError)
    assert last_line(caught.value) == "fails"
    assert name in str(caught.value)
    if stage != "__init__":
        assert "(2, 3)" in str(caught.value)


def test_an_exception_in_backward():
    register("test_fails_in_backward", {"forward": copy_forward, "backward": fails})
    x = nd.ones((2,))
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="test_fails_in_backward")
    with pytest.raises(mx.OperatorError, match="backward") as caught:
        y.backward()
    assert last_line(caught.value) == "fails"
    assert not autograd.is_recording()
    assert (nd.ones((2,)) + 1).asnumpy().tolist() == [2, 2]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_interrupts_pass_unchanged(kind):
    def stop(self, *args, **kwargs):
        raise kind("stop")

    register(f"test_{kind.__name__}", {"forward": stop})
    with pytest.raises(kind, match="stop"):
        nd.Custom(nd.ones((1,)), op_type=f"test_{kind.__name__}")


def test_recording_state_is_restored_after_a_failure():
    register("test_fails_once", {"forward": fails})
    with autograd.record():
        with pytest.raises(mx.OperatorError):
            nd.Custom(nd.ones((1,)), op_type="test_fails_once")
        assert autograd.is_recording()
        assert autograd.is_training()


def test_missing_and_unknown_op_type():
    with pytest.raises(mx.MXNetError, match="op_type"):
        nd.Custom(nd.ones((1,)))
    with pytest.raises(mx.MXNetError, match="test_close_name") as caught:
        register("test_close_name", {"forward": copy_forward})
        nd.Custom(nd.ones((1,)), op_type="test_close_nam")
    assert "test_close_nam" in str(caught.value)


def test_op_type_must_be_a_name():
    with pytest.raises(mx.MXNetError, match="op_type is 5, expected a name"):
        nd.Custom(nd.ones((1,)), op_type=5)


def test_wrong_number_of_inputs():
    register("test_one_input", {"forward": copy_forward})
    with pytest.raises(mx.MXNetError, match="expects 1 inputs, but got 2"):
        nd.Custom(nd.ones((1,)), nd.ones((1,)), op_type="test_one_input")
    with pytest.raises(mx.MXNetError, match="expects 1 inputs, but got 0"):
        nd.Custom(op_type="test_one_input")
    with pytest.raises(TypeError, match="'data' must be an NDArray, got list"):
        nd.Custom([1, 2], op_type="test_one_input")


def test_registering_again_replaces():
    register("test_again", {"forward": copy_forward})
    assert nd.Custom(nd.ones((1,)), op_type="test_again").asscalar() == 1

    def twice(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)

    register("test_again", {"forward": twice})
    assert nd.Custom(nd.ones((1,)), op_type="test_again").asscalar() == 2


def test_is_train_and_modes():
    seen = []

    def forward(self, is_train, req, in_data, out_data, aux):
        seen.append((is_train, autograd.is_recording(), autograd.is_training()))
        self.assign(out_data[0], req[0], in_data[0])

    register("test_modes", {"forward": forward})
    x = nd.ones((1,))
    nd.Custom(x, op_type="test_modes")
    with autograd.record():
        nd.Custom(x, op_type="test_modes")
    with autograd.record(train_mode=False):
        nd.Custom(x, op_type="test_modes")
    assert seen == [(0, False, False), (1, False, True), (0, False, False)]


def test_operators_run_on_their_inputs_context():
    seen = []

    def forward(self, is_train, req, in_data, out_data, aux):
        seen.append(nd.zeros((1,)).context)
        self.assign(out_data[0], req[0], in_data[0])

    register("test_context", {"forward": forward})
    y = nd.Custom(nd.ones((1,), ctx=mx.cpu(2)), op_type="test_context")
    assert seen == [mx.cpu(2)]
    assert y.context == mx.cpu(2)


def test_operator_without_inputs():
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], 7)

    register(
        "test_no_inputs",
        {"forward": forward},
        list_arguments=lambda self: [],
        infer_shape=lambda self, in_shape: ([], [[2, 2]], []),
        infer_type=lambda self, in_type: ([], [np.float32], []),
    )
    assert nd.Custom(op_type="test_no_inputs").asnumpy().tolist() == [[7, 7], [7, 7]]


def test_undeclared_arrays_are_empty_in_backward():
    seen = []

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        seen.append([[a.size for a in part] for part in (out_grad, in_data, out_data)])
        self.assign(in_grad[0], req[0], in_data[0])

    register(
        "test_undeclared",
        {"forward": copy_forward, "backward": backward},
        __init__=lambda self: mx.operator.CustomOpProp.__init__(self, need_top_grad=False),
        declare_backward_dependency=lambda self, out_grad, in_data, out_data: in_data,
    )
    x = nd.array([3.0, 4.0])
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type="test_undeclared")
    y.backward()
    assert seen == [[[0], [2], [0]]]
    assert x.grad.asnumpy().tolist() == [3, 4]
