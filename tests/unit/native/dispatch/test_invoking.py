"""Dispatch: caches, inputs, outputs, deferred parameters, composed operators, contexts."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.base.context import cpu, current_context
from opforge.base.errors import OperatorError, OpforgeError, ShapeError
from opforge.native.array import DeferredArray
from opforge.native.dispatch.invoking import invoke
from opforge.op.attribute import Attribute
from opforge.op.binding import make_handle
from opforge.op.custom import CustomOp
from opforge.op.declaration import OperatorProp
from opforge.op.entry import Entry


class Parts(CustomOp):
    """Writes the sum, the difference and a working array."""

    def forward(self, is_train, req, in_data, out_data, aux):
        a, b = in_data
        self.assign(out_data[0], req[0], a + b)
        self.assign(out_data[1], req[1], a - b)
        self.assign(out_data[2], req[2], a)


class SumAndDifference(OperatorProp):
    """Two visible outputs and one that only the operator sees."""

    name = "sum_and_difference"
    arguments = ("left", "right")
    outputs = ("sum", "difference", "work")
    num_visible_outputs = 2

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]] * 3, []

    def create_operator(self, ctx, shapes, dtypes):
        return Parts()


def handle_of(prop_class, kind="plugin"):
    return make_handle(Entry(prop_class.name, prop_class, "some-plugin", "1.0", kind))


def call(prop_class, *inputs, out=None, **attributes):
    values = tuple(attributes.get(key, a.default) for key, a in prop_class.attributes.items())
    return invoke(handle_of(prop_class), inputs, values, out)


def pair():
    return nd.array([1.0, 2.0]), nd.array([10.0, 20.0])


def test_visible_outputs():
    a, b = pair()
    results = call(SumAndDifference, a, b)
    assert [r.asnumpy().tolist() for r in results] == [[11, 22], [-9, -18]]


def test_one_visible_output_is_no_list():
    class OnlySum(SumAndDifference):
        """Shows the sum alone."""

        name = "only_sum"
        num_visible_outputs = 1

    assert call(OnlySum, *pair()).asnumpy().tolist() == [11, 22]


@pytest.mark.parametrize("count", [2, 3])
def test_out_may_name_the_visible_or_all_outputs(count):
    out = [nd.zeros((2,)) for _ in range(count)]
    results = call(SumAndDifference, *pair(), out=out)
    assert [a is b for a, b in zip(results, out, strict=False)] == [True, True]
    assert out[0].asnumpy().tolist() == [11, 22]
    assert out[-1].asnumpy().tolist() == ([-9, -18] if count == 2 else [1, 2])


@pytest.mark.parametrize("count", [0, 1, 4])
def test_out_of_another_length_is_refused(count):
    with pytest.raises(ValueError, match=f"has 2 outputs, out has {count}"):
        call(SumAndDifference, *pair(), out=[nd.zeros((2,)) for _ in range(count)])


def test_out_is_checked_item_by_item():
    a, b = pair()
    with pytest.raises(ShapeError, match=r"'sum_and_difference': out has shape \(3,\)"):
        call(SumAndDifference, a, b, out=[nd.zeros((2,)), nd.zeros((3,))])
    with pytest.raises(ShapeError, match="int32"):
        call(SumAndDifference, a, b, out=(nd.zeros((2,)), nd.zeros((2,), dtype="int32")))
    with pytest.raises(TypeError, match="out must be an NDArray, got ndarray"):
        call(SumAndDifference, a, b, out=[nd.zeros((2,)), np.zeros(2)])


@pytest.mark.parametrize("count", [0, 1, 3])
def test_wrong_numbers_of_inputs_name_the_expected_ones(count):
    with pytest.raises(
        OpforgeError, match=rf"sum_and_difference.*expects 2 inputs, but got {count}.*'right'"
    ):
        call(SumAndDifference, *[nd.ones((2,))] * count)


def test_a_gap_among_the_inputs_is_a_missing_input_and_trailing_ones_are_dropped():
    a, b = pair()
    with pytest.raises(OpforgeError, match="expects 2 inputs, but got 0"):
        call(SumAndDifference, None, b)
    assert call(SumAndDifference, a, b, None)[0].asnumpy().tolist() == [11, 22]


def test_an_input_that_is_no_array_is_named():
    with pytest.raises(TypeError, match=r"sum_and_difference.*input 'right'.*got ndarray"):
        call(SumAndDifference, nd.ones((2,)), np.ones(2))


def test_auxiliary_states_follow_the_arguments():
    class Counting(OperatorProp):
        """Counts its calls in an auxiliary state."""

        name = "counting"
        auxiliary_states = ("calls",)

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0]], [[1]]

        def create_operator(self, ctx, shapes, dtypes):
            return Counter()

    class Counter(CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            aux[0][:] += 1
            self.assign(out_data[0], req[0], in_data[0] * aux[0])

    calls = nd.zeros((1,))
    handle = handle_of(Counting)
    results = [invoke(handle, (nd.ones((2,)), calls), (), None).asnumpy()[0] for _ in range(3)]
    assert results == [1, 2, 3]
    assert calls.asscalar() == 3
    with pytest.raises(OpforgeError, match="'calls' missing"):
        invoke(handle, (nd.ones((2,)),), (), None)


class Dense(OperatorProp):
    """A product that knows the shape of its weight from the data."""

    name = "dense_like"
    arguments = ("data", "weight")
    units = Attribute(int, default=4)

    def infer_shape(self, in_shape):
        data = in_shape[0]
        return [data, [self.units, data[1]]], [[data[0], self.units]], []

    def compute(self, in_data, out_data, req, is_train):
        out_data[0][:] = nd.dot(in_data[0], in_data[1], transpose_b=True)


def test_deferred_parameters_are_completed_from_the_other_inputs():
    asked = []

    def complete(shape):
        asked.append(tuple(shape))
        return nd.ones(tuple(shape))

    deferred = DeferredArray((4, 0), 0, complete)
    assert deferred.dtype is np.float32
    result = call(Dense, nd.ones((2, 3)), deferred)
    assert asked == [(4, 3)]
    assert result.asnumpy().tolist() == [[3] * 4] * 2


def test_a_deferred_parameter_whose_known_part_does_not_fit():
    with pytest.raises(OpforgeError):
        call(Dense, nd.ones((2, 3)), DeferredArray((5, 0), 0, nd.ones))


def test_elementwise_operators_cannot_settle_a_parameter():
    for name in ("square", "broadcast_add"):
        with pytest.raises(ShapeError, match=rf"'{name}'.* cannot infer the shape"):
            getattr(nd, name)(*[DeferredArray((0,), 0, nd.ones)] * (1 + (name != "square")))


class Composed(OperatorProp):
    """Twice the product, made of operators."""

    name = "composed"
    arguments = ("left", "right")

    def compose(self, F, left, right):
        if left.shape != right.shape:
            raise KeyError("the author's own")
        return F.broadcast_mul(left, right) * 2


def test_composed_operators_compute_and_differentiate():
    a, b = pair()
    a.attach_grad()
    with autograd.record():
        y = call(Composed, a, b)
    y.backward()
    assert y.asnumpy().tolist() == [20, 80]
    assert a.grad.asnumpy().tolist() == [20, 40]


@pytest.mark.parametrize("wrap", [lambda out: out, lambda out: [out]])
def test_out_of_a_composed_operator_is_filled_and_recorded(wrap):
    a, b = pair()
    a.attach_grad()
    out = nd.zeros((2,))
    given = wrap(out)
    with autograd.record():
        assert call(Composed, a, b, out=given) is given
    assert out.asnumpy().tolist() == [20, 80]
    out.backward()
    assert a.grad.asnumpy().tolist() == [20, 40]


@pytest.mark.parametrize("out", [3, [], np.zeros(2)])
def test_out_of_a_composed_operator_must_be_an_array(out):
    with pytest.raises((TypeError, ValueError), match=r"composed.*out"):
        call(Composed, *pair(), out=out)


def test_out_of_a_composed_operator_must_fit():
    with pytest.raises(ShapeError, match=r"\(3,\).*expected \(2,\)"):
        call(Composed, *pair(), out=nd.zeros((3,)))


def test_an_authors_error_in_compose_is_wrapped():
    with pytest.raises(OperatorError, match="compose") as caught:
        call(Composed, nd.ones((2,)), nd.ones((3,)))
    assert isinstance(caught.value.__cause__, KeyError)


def test_the_authors_code_runs_on_the_inputs_device_with_recording_off():
    seen = []

    class Looks(OperatorProp):
        """Notes where it runs."""

        name = "looks"

        def compute(self, in_data, out_data, req, is_train):
            seen.append((current_context(), autograd.is_recording(), is_train, list(req)))
            out_data[0][:] = in_data[0]

    before = current_context()
    with autograd.record():
        result = call(Looks, nd.ones((2,), ctx=cpu(1)))
        assert autograd.is_recording()
    assert seen == [(cpu(1), False, 1, ["write"])]
    assert result.context == cpu(1)
    assert current_context() == before


def test_device_and_modes_come_back_after_an_error():
    class Fails(OperatorProp):
        """Raises."""

        name = "fails"

        def compute(self, in_data, out_data, req, is_train):
            raise KeyError("the author's own")

    before = current_context()
    with autograd.record(), pytest.raises(OperatorError, match="forward"):
        call(Fails, nd.ones((2,), ctx=cpu(1)))
    assert current_context() == before
    assert not autograd.is_training()


def test_one_object_serves_all_calls_of_a_stateless_declaration():
    made = []

    class Fresh(SumAndDifference):
        """Makes an object each time."""

        name = "fresh"

        def create_operator(self, ctx, shapes, dtypes):
            made.append(shapes)
            return Parts()

    class Kept(Fresh):
        """Makes one object for each plan."""

        name = "kept"
        stateless = True

    for prop_class, expected in [(Fresh, 3), (Kept, 1)]:
        made.clear()
        handle = handle_of(prop_class)
        for _ in range(3):
            invoke(handle, pair(), (), None)
        assert made == [[[2], [2]]] * expected


def test_elementwise_operators_need_their_inputs():
    with pytest.raises(mx.OpforgeError, match=r"square.*without one of its inputs"):
        invoke(handle_of_std("square"), (), (), None)


def test_scalars_are_numbers_or_their_text():
    handle = handle_of_std("_plus_scalar")
    x = nd.ones((2,))
    assert invoke(handle, (x,), ("2.5",), None).asnumpy().tolist() == [3.5, 3.5]
    with pytest.raises(TypeError, match=r"_plus_scalar.*scalar must be a number"):
        invoke(handle, (x,), (object(),), None)


def handle_of_std(name):
    from opforge.op.registry import lookup

    return make_handle(lookup(name))
