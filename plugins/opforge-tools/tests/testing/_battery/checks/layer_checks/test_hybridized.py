from opforge import gluon, nd


class Differs(gluon.HybridBlock):
    """Compute something else in a graph."""

    def hybrid_forward(self, F, x):
        return x * (2 if F is nd else 3)


class OneWay(gluon.HybridBlock):
    """Have another gradient in a graph."""

    def hybrid_forward(self, F, x):
        return x * 2 if F is nd else F.BlockGrad(x) + x


class Plain(gluon.Block):
    """Double."""

    def forward(self, x):
        return x * 2


def test_faults(layer_outcome):
    assert "prediction: output 0 differs" in layer_outcome("hybridized", Differs).message
    assert "gradient of input 0 differs" in layer_outcome("hybridized", OneWay).message


def test_layers_that_cannot_be_compiled_are_skipped(layer_outcome):
    assert layer_outcome("hybridized", Plain).status == "skipped"


def test_a_loss_of_the_core(layer_outcome):
    assert layer_outcome("hybridized", gluon.loss.L1Loss, samples=[[(2, 3), (2, 3)]]).samples == 1
