"""Tests of comparing providers of one operator."""

import numpy as np
import pytest
from opforge_tools.testing._providers import _difference

from opforge import testing
from opforge.base.errors import OperatorNotFoundError, PluginError
from opforge.op.calling.functions import forget_functions
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry


@pytest.fixture(autouse=True)
def two(monkeypatch):
    """Register an exact and a careless provider of one operator."""
    monkeypatch.setattr(registry.OPERATORS, "_table", dict(registry.OPERATORS._table))
    for provider, power in (("exact", 1), ("careless", 4)):

        class Half(OperatorProp):
            """Halve data."""

            name = "fx_half"
            wasted = power

            def compose(self, F, data):
                for _ in range(self.wasted - 1):
                    data = data * 3 / 3
                return data * 0.5

        registry.register_operator(Half, provider, "1.0", "plugin")
    yield
    registry.OPERATORS.forget_decisions()
    forget_functions()


def test_differences_time_and_memory():
    comparison = testing.compare("fx_half", ["exact", "careless"], shape=(50, 50))
    exact, careless = comparison.runs
    assert (exact.ulp, exact.absolute) == (0, 0)
    assert 1 <= careless.ulp == comparison.ulp < 10
    assert 0 < careless.absolute < 1e-5
    assert exact.memory_bytes >= 50 * 50 * 4
    assert exact.seconds > 0
    lines = str(comparison).splitlines()
    assert "difference (ulp)" in lines[0]
    assert [line.split()[0] for line in lines[1:]] == ["exact", "careless"]


def test_all_providers_and_own_inputs():
    comparison = testing.compare("fx_half", inputs=[np.float32([2, 4])])
    assert [run.provider for run in comparison.runs] == ["careless", "exact"]
    assert comparison.runs[1].outputs[0].tolist() == [1, 2]


def test_unknown_providers_and_operators_raise():
    with pytest.raises(PluginError, match="requested from nobody"):
        testing.compare("fx_half", ["exact", "nobody"])
    with pytest.raises(OperatorNotFoundError):
        testing.compare("fx_nothing")


@pytest.mark.parametrize(
    ("first", "second", "ulp"),
    [
        (np.float32([1]), np.nextafter(np.float32([1]), np.float32(2)), 1),
        (np.float32([-1e-45]), np.float32([1e-45]), 2),
        (np.float64([0.0]), np.float64([-0.0]), 0),
        (np.float16([1]), np.float16([1.001953125]), 2),
        (np.float64([1, np.nan]), np.float64([1, np.nan]), 0),
        (np.float64([1]), np.float64([np.nan]), np.inf),
        (np.float64([-1.5]), np.float64([1.5]), 2 * 4609434218613702656),
        (np.int32([3]), np.int32([5]), 2),
        (np.float32([1]), np.float64([1]), np.inf),
        (np.ones((2,), "f4"), np.ones((3,), "f4"), np.inf),
        (np.ones((0,), "f4"), np.ones((0,), "f4"), 0),
        (np.float32([np.inf]), np.float32([np.inf]), 0),
    ],
)
def test_difference_in_ulps(first, second, ulp):
    assert _difference([first], [second])[0] == ulp
