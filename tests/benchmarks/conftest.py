"""Prepared cases, which the smoke test runs once and the benchmarks time."""

import pytest
from opforge_tools.benchmarks import CASES, libraries


def case_and_library():
    """Return each case with each installed library, as parameters."""
    return [
        pytest.param(case, library, id=f"{case.name}-{library}")
        for case in CASES
        for library in case.libraries
        if libraries.is_importable(library)
    ]


def pytest_generate_tests(metafunc):
    if {"case", "library"} <= set(metafunc.fixturenames):
        metafunc.parametrize(("case", "library"), case_and_library())


@pytest.fixture(scope="session")
def loaded():
    """Return a function that imports a library once."""
    known = {}

    def load(name):
        if name not in known:
            known[name] = libraries.load(name)
        return known[name]

    return load
