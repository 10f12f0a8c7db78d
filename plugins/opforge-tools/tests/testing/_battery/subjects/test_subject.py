import ml_dtypes
import numpy as np
import pytest
from opforge_tools.testing._battery.subjects.subject import OperatorSubject, listed

from opforge import nd, sym
from opforge.op.declaring.custom import CustomOp, CustomOpProp
from opforge.op.registry import registry
from opforge.testing import Sample

RNG = np.random.default_rng(0)


def subject(name, *samples):
    drawn = [sample.drawn(RNG) for sample in samples]
    return OperatorSubject(registry.lookup_custom(name), drawn, None, {}, ("float32",), 0)


def test_outputs_and_gradients_are_those_of_the_operator():
    made = subject("tanh", Sample([[1.0, 2.0]]))
    (sample,) = made.samples
    np.testing.assert_allclose(made.outputs(sample, "float64")[0], np.tanh([1.0, 2.0]))
    (gradient,) = made.gradients(sample, "float64", [0])
    head = np.random.default_rng((0, 1)).standard_normal(2)
    head = head.astype(ml_dtypes.bfloat16).astype("float64")
    np.testing.assert_allclose(gradient, head * (1 - np.tanh([1.0, 2.0]) ** 2))
    assert (made.how, made.wanted(sample), made.n_states(sample)) == ("elementwise_kernel", [0], 0)


def test_inputs_are_counted_where_their_number_varies():
    made = subject("concat", Sample([(2, 3), (2, 4)], {"dim": 1}))
    (sample,) = made.samples
    assert made.outputs(sample, "float32")[0].shape == (2, 7)
    assert made.inferred(sample, "float32").out_shapes == ((2, 7),)


def test_symbols_and_several_outputs():
    made = subject("split", Sample([(2, 4)], {"num_outputs": 2}))
    (sample,) = made.samples
    assert [item.shape for item in made.call(nd, sample, made.arrays(sample, "float32"))] == [
        (2, 2),
        (2, 2),
    ]
    assert len(made.call(sym, sample, [sym.var("x")]).list_outputs()) == 2


def test_mxnet_declarations_get_strings():
    class Prop(CustomOpProp):
        def __init__(self, factor):
            super().__init__()
            assert isinstance(factor, str)

        def create_operator(self, ctx, shapes, dtypes):
            return CustomOp()

    with registry.temporary():
        registry.register_custom("takes_strings", Prop)
        made = subject("takes_strings", Sample([(2,)], {"factor": 2}))
        (sample,) = made.samples
        assert made.how == "operator" and made.differentiable
        made.prop(sample)
        assert made.outputs(sample, "float32")[0].shape == (2,)


@pytest.mark.parametrize(("value", "want"), [(1, [1]), ((1, 2), [1, 2]), ([3], [3])])
def test_listed(value, want):
    assert listed(value) == want
