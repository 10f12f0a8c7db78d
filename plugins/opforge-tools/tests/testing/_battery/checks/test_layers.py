import pytest

from opforge import gluon
from opforge.base.errors import OperatorNotFoundError
from opforge.plugin_api import ShapeError
from opforge.testing import CheckFailedError, check_layer


class Twice(gluon.HybridBlock):
    """Double what has three axes."""

    def __init__(self, axes=3, **kwargs):
        super().__init__(**kwargs)
        self._axes = axes

    def hybrid_forward(self, F, x):
        if F.__name__.endswith("ndarray") and x.ndim != self._axes:
            raise ShapeError(f"expected {self._axes} axes")
        return x * 2


class Needs(Twice):
    """Need an argument."""

    def __init__(self, axes, **kwargs):
        super().__init__(axes, **kwargs)


def test_samples_match_the_inputs_of_the_layer():
    report = check_layer(Twice)
    assert report.passed and report.kind == "layer"
    assert {o.samples for o in report.outcomes if o.status == "passed"} == {1}


def test_arguments():
    (outcome,) = check_layer(Needs, raises=False).outcomes
    assert "constructor needs axes" in outcome.message
    samples = [{"inputs": [(2, 3)], "arguments": {"axes": 2}}]
    assert check_layer(Needs, samples=samples).ran == 6
    with pytest.raises(CheckFailedError, match="rejects every array"):
        check_layer(type("Six", (Twice,), {"__init__": lambda self: Twice.__init__(self, 6)}))


def test_options():
    with pytest.raises(CheckFailedError, match="it passes, but was expected to fail"):
        check_layer(Twice, expected_failures={"repr": "it was broken"})
    with pytest.raises(CheckFailedError, match="at least 9 are required"):
        check_layer(Twice, minimum=9)


def test_check_layer_rejects_other_objects():
    with pytest.raises(OperatorNotFoundError):
        check_layer("NoSuchLayer")
    with pytest.raises(TypeError, match="derived from Block"):
        check_layer(Twice())
