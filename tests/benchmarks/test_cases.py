"""Every benchmark case runs, at a small size, in every installed library."""

import numpy as np
import pytest
from opforge_tools.benchmarks import CASES, libraries

SMALL = 8
#: Programs that return an array, also with NumPy, which is always installed.
COMPARABLE = [case for case in CASES if not case.records and case.numpy]


@pytest.fixture
def small(case):
    return case.at_most(SMALL)


def as_numpy(value):
    if hasattr(value, "asnumpy"):
        return value.asnumpy()
    return value.detach().numpy() if hasattr(value, "detach") else value


def test_the_case_runs(request, small, library, loaded):
    if small.name.startswith("C operator"):
        request.getfixturevalue("c_compiler")
    run = libraries.prepare(small, library, loaded(library))
    run()
    run()


@pytest.mark.parametrize("case", COMPARABLE, ids=lambda case: case.name)
def test_libraries_do_the_same_work(small, loaded):
    results = {
        name: as_numpy(libraries.prepare(small, name, loaded(name))())
        for name in small.libraries
        if libraries.is_importable(name)
    }
    own = results.pop("opforge")
    tolerance = 1e-2 if "float16" in small.name else 1e-5
    for name, other in results.items():
        if other is not None:  # np.copyto returns nothing
            np.testing.assert_allclose(
                np.ravel(own), np.ravel(other), rtol=tolerance, atol=1e-5, err_msg=name
            )
