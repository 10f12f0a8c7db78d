"""A library in a process of its own: figures come back, failures too, and none is left behind."""

import os

import pytest
from opforge_tools.benchmarks import libraries
from opforge_tools.benchmarks.case import Array, Case
from opforge_tools.benchmarks.processes import Failure, Missing, Process

ADD = Case("add", "group", numpy="a + a", sizes={"n": 4}, arrays={"a": Array(("n",))})


def test_a_process_measures_fails_and_measures_again():
    with Process("numpy", 1) as process:
        process.prepare(ADD, 1)
        assert 0 < min(process.round(0)) < 1
        with pytest.raises(Failure, match=r"^NameError: .*missing"):
            process.prepare(Case("broken", "group", numpy="missing"), 1)
        process.prepare(ADD, 1)
        process.set_threads(1)
        assert len(process.round(0)) == 1


def test_an_operator_that_no_plugin_brings_is_missing():
    case = Case("missing", "group", opforge="nd.no_such_operator(1)")
    with Process("opforge", 1) as process, pytest.raises(Missing, match="no_such_operator") as told:
        process.prepare(case, 1)
    assert told.value.as_row() == {"skipped": str(told.value)}
    assert Failure("no").as_row() == {"error": "no"}


def test_prints_of_a_library_do_not_disturb():
    case = Case("print", "group", numpy="print('hello')")
    with Process("numpy", 1) as process:
        process.prepare(case, 1)
        assert process.round(0)


def test_a_process_that_dies_is_a_failure():
    case = Case("die", "group", numpy="__import__('os').abort()")
    process = Process("numpy", 1)
    with process, pytest.raises(Failure, match="numpy ended with status -6"):
        process.prepare(case, 1)


def test_threads_of_the_libraries_below_are_limited():
    case = Case("environment", "group", numpy="__import__('os').environ['OMP_NUM_THREADS'] + 1")
    with Process("numpy", 3) as process, pytest.raises(Failure, match="TypeError"):
        process.prepare(case, 3)
    assert os.environ.get("OMP_NUM_THREADS") != "3"


def test_cases_of_np_beside_nd():
    case = Case(
        "sum",
        "group",
        opforge="np.sum(a.as_nd_ndarray().as_np_ndarray())",
        nd="nd.sum(a)",
        sizes={"n": 4},
        arrays={"a": Array(("n",))},
        uses_np=True,
    )
    assert libraries.is_importable("nd")
    assert libraries.version("nd") == libraries.version("opforge")
    for library in ("opforge", "nd"):
        with Process(library, 1) as process:
            process.prepare(case, 1)
            assert process.round(0)
