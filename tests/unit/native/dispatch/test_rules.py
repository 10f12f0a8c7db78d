"""Gradient rules of general operators: `backward` methods and composed gradients."""

import numpy as np
import pytest

import opforge
from opforge import autograd, nd
from opforge.base.errors import OperatorError, OpforgeError, ShapeError
from opforge.native.dispatch.invoking import invoke
from opforge.op.calling.binding import make_handle
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry


class Product(CustomOp):
    """left * right and left + right; backward notes what it is given."""

    def __init__(self, seen):
        super().__init__()
        self.seen = seen

    def forward(self, is_train, req, in_data, out_data, aux):
        left, right = in_data
        self.assign(out_data[0], req[0], left * right)
        self.assign(out_data[1], req[1], left + right)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.seen.append(
            {
                "req": list(req),
                "out_grad": [a.asnumpy().tolist() for a in out_grad],
                "shapes": [[a.shape for a in part] for part in (out_grad, in_data, out_data)],
                "recording": autograd.is_recording(),
                "in_graph": any(a.grad is not None for a in in_data),
            }
        )
        left, right = in_data
        self.assign(in_grad[0], req[0], out_grad[0] * right + out_grad[1])
        self.assign(in_grad[1], req[1], out_grad[0] * left + out_grad[1])


def product(**members):
    """Return a handle of a fresh declaration and the list that its backward fills."""
    seen = []

    class Prop(OperatorProp):
        """Two inputs, two outputs."""

        name = "product_and_sum"
        arguments = ("left", "right")
        outputs = ("product", "sum")

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0]] * 2, []

        def create_operator(self, ctx, shapes, dtypes):
            return Product(seen)

    prop_class = type("Prop", (Prop,), {"__doc__": Prop.__doc__, **members})
    return make_handle(Entry(prop_class.name, prop_class, "some-plugin", "1.0", "plugin")), seen


def variables(*reqs):
    arrays = nd.array([1.0, 2.0]), nd.array([10.0, 20.0])
    for x, req in zip(arrays, reqs, strict=True):
        if req is not None:
            x.attach_grad(req)
            x.grad[:] = 100
    return arrays


def grads(arrays):
    return [None if x.grad is None else x.grad.asnumpy().tolist() for x in arrays]


def test_both_outputs_deliver_and_requests_are_write():
    handle, seen = product()
    left, right = variables("write", "write")
    with autograd.record():
        p, s = invoke(handle, (left, right), (), None)
        y = p * 2 + s * 3
    y.backward()
    assert seen[0]["req"] == ["write", "write"]
    assert seen[0]["out_grad"] == [[2, 2], [3, 3]]
    assert grads((left, right)) == [[23, 43], [5, 7]]


def test_unused_output_delivers_zeros():
    handle, seen = product()
    left, right = variables("write", "write")
    with autograd.record():
        p, s = invoke(handle, (left, right), (), None)
    for head, expected in [(p, [[1, 1], [0, 0]]), (s, [[0, 0], [1, 1]])]:
        head.backward(retain_graph=True)
        assert seen[-1]["out_grad"] == expected
    assert grads((left, right)) == [[1, 1], [1, 1]]


def test_inputs_without_gradient_request_nothing():
    handle, seen = product()
    left, right = variables("write", None)
    with autograd.record():
        p, _ = invoke(handle, (left, right), (), None)
    p.backward()
    assert seen[0]["req"] == ["write", "null"]
    assert grads((left, right)) == [[10, 20], None]


def test_add_accumulates_over_passes():
    handle, seen = product()
    left, right = variables("add", "write")
    for _ in range(2):
        with autograd.record():
            p, _ = invoke(handle, (left, right), (), None)
        p.backward()
    assert [call["req"] for call in seen] == [["add", "write"]] * 2
    assert grads((left, right)) == [[120, 140], [1, 2]]


@pytest.mark.parametrize("req", ["write", "add"])
def test_variable_that_is_both_inputs(req):
    handle, seen = product()
    x, _ = variables(req, None)
    with autograd.record():
        p, _ = invoke(handle, (x, x), (), None)
    p.backward()
    assert seen[0]["req"] == ["write", "write"]
    base = 100 if req == "add" else 0
    assert grads([x]) == [[base + 2, base + 4]]


@pytest.mark.parametrize("req", ["write", "add"])
def test_variable_with_another_use_in_the_graph(req):
    handle, seen = product()
    left, right = variables(req, None)
    with autograd.record():
        p, _ = invoke(handle, (left, right), (), None)
        y = p + left * 5
    y.backward()
    assert seen[0]["req"] == ["write", "null"]
    base = 100 if req == "add" else 0
    assert grads([left]) == [[base + 15, base + 25]]


def test_input_in_the_middle_of_the_graph_is_written():
    handle, seen = product()
    left, right = variables("add", None)
    with autograd.record():
        p, _ = invoke(handle, (left * 2, right), (), None)
    p.backward()
    assert seen[0]["req"] == ["write", "null"]
    assert grads([left]) == [[120, 140]]


def test_backward_runs_with_recording_off_on_arrays_without_history():
    handle, seen = product()
    left, right = variables("write", "write")
    with autograd.record():
        p, _ = invoke(handle, (left, right), (), None)
        p.backward()
        assert autograd.is_recording()
    assert not seen[0]["recording"]
    assert not seen[0]["in_graph"]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"saves": ("inputs", "outputs")}, [[(2,)] * 2, [(2,)] * 2, [(2,)] * 2]),
        ({"saves": ("inputs",)}, [[(2,)] * 2, [(2,)] * 2, [(0,)] * 2]),
        ({"saves": ("inputs", "sum")}, [[(2,)] * 2, [(2,)] * 2, [(0,), (2,)]]),
    ],
)
def test_only_declared_arrays_are_passed(members, expected):
    handle, seen = product(**members)
    left, right = variables("write", "write")
    with autograd.record():
        p, _ = invoke(handle, (left, right), (), None)
    p.backward()
    assert seen[0]["shapes"] == expected


def test_declared_dependencies_by_number():
    def declare(self, out_grad, in_data, out_data):
        return [*out_grad, *in_data, out_data[1]]

    handle, seen = product(declare_backward_dependency=declare)
    left, right = variables("write", "write")
    with autograd.record():
        p, _ = invoke(handle, (left, right), (), None)
    p.backward()
    assert seen[0]["shapes"][2] == [(0,), (2,)]


@pytest.mark.parametrize("first", [True, False])
def test_gradient_that_the_graph_reads_is_written_after_it(first):
    handle, _ = product()
    left, right = variables("write", "write")
    with autograd.record():
        scaled = right * left.grad[:]
        made, _ = invoke(handle, (left, nd.ones((2,))), ())
        total = made + scaled if first else scaled + made
    total.backward()
    assert grads((left, right)) == [[1.0, 1.0], [100.0, 100.0]]


def test_gradient_that_is_the_head_is_written_after_it():
    handle, _ = product()
    left, right = variables("write", "write")
    with autograd.record():
        made, _ = invoke(handle, (left, right), ())
    made.backward(left.grad)
    assert grads((left, right)) == [[1000.0, 2000.0], [100.0, 200.0]]


@pytest.mark.parametrize(("saves", "kept"), [(("inputs",), 1), (("left", "product"), 2), ((), 0)])
def test_arrays_that_backward_does_not_read_are_not_kept(saves, kept):
    handle, _ = product(saves=saves)
    nbytes = 1 << 20
    left, right = nd.zeros((nbytes // 4,)), nd.zeros((nbytes // 4,))
    right.attach_grad()
    before = opforge.memory_stats()["live_bytes"]
    with autograd.record():
        first, _second = invoke(handle, (left + 1, right), ())
    del first
    held = opforge.memory_stats()["live_bytes"] - before
    assert held // nbytes == kept + 1  # and `_second`, which leads to the graph


def test_custom_backward_cannot_be_differentiated_again():
    handle, _ = product()
    left, right = variables("write", "write")
    with autograd.record():
        p, _ = invoke(handle, (left, right), (), None)
        with pytest.raises(OpforgeError, match=r"'product_and_sum' defines backward\(\)"):
            autograd.grad(p, [left], create_graph=True)


def test_declaration_that_is_not_differentiable_ends_the_graph():
    handle, seen = product(differentiable=False)
    left, right = variables("write", "write")
    with autograd.record():
        p, _ = invoke(handle, (left, right), (), None)
    with pytest.raises(OpforgeError, match="not in a computational graph"):
        p.backward()
    assert not seen


class Cube(OperatorProp):
    """data ** 3 / scale, with a gradient made of operators."""

    name = "cube"
    scale = Attribute(float, default=1.0)

    def compute(self, in_data, out_data, req, is_train):
        out_data[0][:] = in_data[0] * in_data[0] * in_data[0] / self.scale

    def gradient(self, F, out_grad, in_data, out_data):
        return [out_grad[0] * F.square(in_data[0]) * (3 / self.scale)]


def cube(x, **members):
    prop_class = type("Cube", (Cube,), {"__doc__": Cube.__doc__, **members})
    return invoke(make_handle(Entry("cube", prop_class, "some-plugin", "1", "plugin")), (x,), (2,))


def test_gradient_of_operators_has_all_orders():
    x, _ = variables("write", None)
    with autograd.record():
        y = cube(x)
        (first,) = autograd.grad(y, [x], create_graph=True)
        (second,) = autograd.grad(first, [x], create_graph=True)
    second.backward()
    assert first.asnumpy().tolist() == [1.5, 6]
    assert second.asnumpy().tolist() == [3, 6]
    assert x.grad.asnumpy().tolist() == [3, 3]


def test_gradient_may_be_none():
    x, _ = variables("write", None)
    with autograd.record():
        y = cube(x, gradient=lambda self, *call: [None]) + x
    y.backward()
    assert grads([x]) == [[1, 1]]


def test_gradient_through_the_output_may_be_differentiated_again():
    def gradient(self, F, out_grad, in_data, out_data):
        return [out_grad[0] * out_data[0] / in_data[0] * 3]

    x, _ = variables("write", None)
    with autograd.record():
        y = cube(x, gradient=gradient)
        (first,) = autograd.grad(y, [x], create_graph=True)
    first.backward()
    np.testing.assert_allclose(first.asnumpy(), [1.5, 6])
    np.testing.assert_allclose(x.grad.asnumpy(), [3, 6])


def test_saves_determine_arguments_of_composed_gradients():
    seen = []

    def gradient(self, F, out_grad, in_data, out_data):
        seen.append((in_data is None, out_data is None))
        return [out_grad[0]]

    for saves in [("inputs",), ("outputs",), (), ("data", "output")]:
        x, _ = variables("write", None)
        with autograd.record():
            y = cube(x, gradient=gradient, saves=saves)
        y.backward()
    assert seen == [(False, True), (True, False), (True, True), (False, False)]


def test_error_in_a_gradient_names_the_operator_and_may_be_tried_again():
    answers = iter([KeyError("the author's own"), None])

    def gradient(self, F, out_grad, in_data, out_data):
        error = next(answers)
        if error is not None:
            raise error
        return [out_grad[0]]

    x, _ = variables("write", None)
    with autograd.record():
        y = cube(x, gradient=gradient)
    with pytest.raises(OperatorError, match=r"cube.*gradient") as caught:
        y.backward()
    assert isinstance(caught.value.__cause__, KeyError)
    assert "(2,)" in str(caught.value)
    assert not autograd.is_recording()
    y.backward()
    assert grads([x]) == [[1, 1]]


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (lambda grad: [], OpforgeError),
        (lambda grad: [nd.ones((3,))], ShapeError),
        (lambda grad: [1.0], OperatorError),
    ],
)
def test_gradients_that_do_not_fit_are_rejected(result, error):
    x, _ = variables("write", None)
    with autograd.record():
        y = cube(x, gradient=lambda self, F, out_grad, *data: result(out_grad[0]))
    with pytest.raises(error):
        y.backward()


def test_interrupt_in_backward_passes_unchanged():
    class Interrupted(CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            pass

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            raise KeyboardInterrupt

    handle, _ = product(create_operator=lambda self, *call: Interrupted())
    left, right = variables("write", "write")
    with autograd.record():
        p, _ = invoke(handle, (left, right), (), None)
    with pytest.raises(KeyboardInterrupt):
        p.backward()
    assert not autograd.is_recording()
