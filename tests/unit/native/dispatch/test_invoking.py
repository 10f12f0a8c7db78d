"""Dispatch: auxiliary states, elementwise operators and their scalars."""

import pytest

import opforge as mx
from opforge import nd
from opforge.base.errors import OpforgeError
from opforge.native.dispatch.invoking import invoke
from opforge.op.calling.binding import make_handle
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry


def handle_of(prop_class):
    return make_handle(Entry(prop_class.name, prop_class, "some-plugin", "1.0", "plugin"))


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


def test_elementwise_operators_need_their_inputs():
    with pytest.raises(mx.OpforgeError, match=r"square.*without one of its inputs"):
        invoke(handle_of_std("square"), (), (), None)


def test_scalars_are_numbers_or_strings():
    handle = handle_of_std("_plus_scalar")
    x = nd.ones((2,))
    assert invoke(handle, (x,), ("2.5",), None).asnumpy().tolist() == [3.5, 3.5]
    with pytest.raises(TypeError, match=r"_plus_scalar.*scalar must be a number"):
        invoke(handle, (x,), (object(),), None)


def handle_of_std(name):
    from opforge.op.registry.registry import lookup

    return make_handle(lookup(name))
