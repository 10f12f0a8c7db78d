import numpy as np

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
