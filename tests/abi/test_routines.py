"""`host->routine` and `host->run_routines`: functions of BLAS and LAPACK by name."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import OperatorError

from .declarations import registered
from .heavy import declare_heavy


@pytest.fixture(scope="module", autouse=True)
def operators(heavy):
    with registered(declare_heavy(heavy), "abi-heavy"):
        yield


@pytest.mark.parametrize(("routine", "order"), [("dnrm2", 2), ("dasum", 1)])
def test_functions_are_found_and_run_on_several_threads(routine, order):
    x = np.random.default_rng(1).standard_normal((500, 7))
    found = nd.abi_routines(nd.array(x, dtype="float64"), routine=routine).asnumpy()
    np.testing.assert_allclose(found, np.linalg.norm(x, order, axis=1), rtol=1e-13)


@pytest.mark.parametrize("routine", ["no_such_function", "", "x" * 100])
def test_unknown_names_are_rejected(routine):
    with pytest.raises(OperatorError, match=r"abi_routines.*no function of this name"):
        nd.abi_routines(nd.ones((1, 1), dtype="float64"), routine=routine)
