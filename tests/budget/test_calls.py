"""The call path costs no more than budgets.json allows, in counts that noise cannot affect.

A change that makes a call cheaper should lower its budget:
``OPFORGE_WRITE_BUDGETS=1 pytest tests/budget`` writes the measured values.
"""

import json
import os
import platform
from pathlib import Path

import pytest
from opforge_tools.benchmarks import libraries
from opforge_tools.benchmarks.cases import find

FILE = Path(__file__).with_name("budgets.json")
BUDGETS = json.loads(FILE.read_text())
WRITE = os.environ.get("OPFORGE_WRITE_BUDGETS") == "1"
PYTHON = ".".join(platform.python_version_tuple()[:2])


def ceiling(budget):
    """Return the budget, with a small margin on another Python than it was measured on."""
    return budget if BUDGETS["python"] == PYTHON else 1.25 * budget + 2


@pytest.fixture(params=BUDGETS["cases"])
def budget(request):
    """Return a case's row, which is stored if it changed and writing was requested."""
    row = BUDGETS["cases"][request.param]
    yield {"name": request.param, "row": row}
    if WRITE:
        BUDGETS["python"] = PYTHON
        FILE.write_text(json.dumps(BUDGETS, indent=2) + "\n")


def prepared(budget):
    """Return the case's function; not a fixture because it is kept beyond the leak check."""
    return libraries.prepare(find(budget["name"]), "opforge", libraries.load("opforge"))


def check(budget, what, measured):
    if WRITE:
        budget["row"][what] = round(measured)
    allowed = ceiling(budget["row"][what])
    assert round(measured) <= allowed, (
        f"one call of {budget['name']!r} takes {measured:g} {what}, budget {allowed:g}"
    )


def test_memory_that_python_asks_for(budget, allocations):
    check(budget, "allocations", allocations(prepared(budget)))


def test_functions_in_python(budget, python_calls):
    check(budget, "python functions", python_calls(prepared(budget)))


def test_memory_of_arrays(budget, pool_requests):
    hits, system = pool_requests(prepared(budget))
    assert system == 0, "memory of a repeated call comes from the pool"
    check(budget, "arrays", hits)


def test_the_counters_count(allocations, python_calls, pool_requests):
    """Counters report the known cost of a known amount of work."""
    from opforge import nd

    def inner():
        return None

    def twice():
        inner()
        inner()

    def two_blocks():
        return b"%d" % 10**9, bytearray(1000)

    def nothing():
        return None

    assert (python_calls(nothing), python_calls(twice)) == (0, 2)
    assert round(allocations(nothing)) == 0
    assert round(allocations(two_blocks)) >= 2
    assert pool_requests(nothing) == (0, 0)
    assert pool_requests(lambda: (nd.zeros((9,)), nd.zeros((9,)))) == (2, 0)
