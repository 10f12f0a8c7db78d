import numpy as np
import pytest

from opforge import nd, test_utils


@pytest.mark.parametrize("kind", ["rtol", "atol"])
def test_defaults(kind):
    table = getattr(test_utils, f"default_{kind}s")()
    get = getattr(test_utils, f"get_{kind}")
    assert len(table) == 10
    assert all(get(None, dtype) == value for dtype, value in table.items())
    assert get() == table[np.dtype("float64")]
    assert get(0.5) == 0.5
    assert table[np.dtype("int32")] == 0


def test_steps_are_powers_of_two():
    steps = test_utils.default_numeric_eps()
    assert all(np.log2(step) == int(np.log2(step)) for step in steps.values())
    assert test_utils.get_etol() == 0
    assert test_utils.get_etol(0.1) == 0.1


def test_the_coarser_array_decides():
    half, double = nd.ones((1,), dtype="float16"), np.ones(1)
    assert test_utils.get_tols(half, double, None, None) == (1e-2, 1e-1)
    assert test_utils.get_tols(double, 1.0, None, 0.5) == (1e-5, 0.5)
    assert test_utils.effective_dtype(half) == np.float16


def test_tolerances_by_type():
    given = {np.dtype("float16"): 0.25}
    half, single = nd.ones((1,), dtype="float16"), nd.ones((1,))
    assert test_utils.get_tolerance(half, given, test_utils.default_rtols()) == 0.25
    assert test_utils.get_tolerance(single, given, test_utils.default_rtols()) == 1e-4
    assert test_utils.get_tolerance(single, 3, {}) == 3.0
