import numpy as np

import opforge as mx
from opforge import gluon


class Scale(gluon.HybridBlock):
    """Multiply by a parameter."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(1,), init="ones")

    def hybrid_forward(self, F, x, weight):
        return F.broadcast_mul(x, self.cut(F, F.reshape(weight, shape=(1,) * 2)))

    def cut(self, F, weight):
        return weight


class Cut(Scale):
    """Let nothing flow back into the parameter."""

    def cut(self, F, weight):
        return F.BlockGrad(weight)


SAMPLES = [[(2, 3)]]


def test_gradients_of_parameters(layer_outcome):
    assert layer_outcome("gradients", Scale, samples=SAMPLES).status == "passed"
    found = layer_outcome("gradients", Cut, samples=SAMPLES)
    assert "derivative along a random direction of" in found.message
    assert "weight" in found.message and "input 0" in found.message


def test_nothing_to_differentiate(layer_outcome):
    class Double(gluon.HybridBlock):
        """Double."""

        def hybrid_forward(self, F, x):
            return x * 2

    found = layer_outcome("gradients", Double, samples=[[np.arange(3)]])
    assert found.status == "skipped"


def test_outputs_may_depend_on_the_state_before_the_call(layer_outcome):
    class DivideByState(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.state = aux[0].copy()
            self.assign(out_data[0], req[0], in_data[0] / self.state)
            if is_train:
                aux[0][:] = 0.5 * aux[0] + 0.5 * (in_data[0] ** 2).mean()

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], out_grad[0] / self.state)

    @mx.operator.register("divide_by_state_of_layer")
    class DivideByStateProp(mx.operator.CustomOpProp):
        def list_auxiliary_states(self):
            return ["state"]

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0]], [(1,)]

        def create_operator(self, ctx, shapes, dtypes):
            return DivideByState()

    class Divide(gluon.HybridBlock):
        """Divide by the running mean square of earlier batches."""

        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.state = self.params.get("state", shape=(1,), init="ones", grad_req="null")

        def hybrid_forward(self, F, x, state):
            return F.Custom(x, state, op_type="divide_by_state_of_layer")

    found = layer_outcome("gradients", Divide, samples=SAMPLES)
    assert found.status == "passed", found
