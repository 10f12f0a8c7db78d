from opforge import gluon, nd


class Scale(gluon.HybridBlock):
    """Multiply by a parameter whose shape follows from the input."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(0,), allow_deferred_init=True)

    def infer_shape(self, x):
        self.weight.shape = (x.shape[-1],)

    def hybrid_forward(self, F, x, weight):
        return F.broadcast_mul(x, weight)


class Hides(gluon.Block):
    """Keep what it learned where no file gets it."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.values = nd.random.normal(shape=(1,))

    def forward(self, x):
        return x * self.values


SAMPLES = [[(2, 3)]]


def test_parameters_come_back(layer_outcome):
    assert layer_outcome("saved parameters", Scale, samples=SAMPLES).status == "passed"
    found = layer_outcome("saved parameters", Hides, samples=SAMPLES)
    assert "loaded from a file: output 0 differs" in found.message
