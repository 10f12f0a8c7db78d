import numpy as np
import pytest
from opforge_tools.testing._battery.checks.layer_checks.forward import same_arrays

from opforge import gluon


class Counts(gluon.Block):
    """Add how often it was called."""

    calls = 0

    def forward(self, x):
        self.calls += 1
        return x + self.calls


class Wears(gluon.Block):
    """Change its parameter by being used."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(1,), init="ones")

    def forward(self, x):
        value = self.weight.data().copy()
        self.weight.set_data(value * 0.5)
        return x * 1


@pytest.mark.parametrize(
    ("layer", "text"),
    [(Counts, "called again, output 0 differs"), (Wears, "a prediction changed the parameters")],
)
def test_faults(layer_outcome, layer, text):
    found = layer_outcome("forward", layer)
    assert found.status == "failed" and text in found.message


def test_a_layer_that_only_computes(layer_outcome):
    assert layer_outcome("forward", gluon.loss.L2Loss, samples=[[(2, 3), (2, 3)]]).samples == 1


def test_same_arrays():
    same_arrays([np.ones(2)], [np.ones(2)], "output")
    with pytest.raises(AssertionError, match="output a differs"):
        same_arrays({"a": np.ones(2)}, {"a": np.zeros(2)}, "output")
    with pytest.raises(AssertionError, match="expected"):
        same_arrays({"a": np.ones(2)}, {"b": np.ones(2)}, "output")
