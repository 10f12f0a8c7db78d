"""The measuring process's requests and what it answers, without a process."""

import io
import json

from opforge_tools.benchmarks.case import Array, Case
from opforge_tools.benchmarks.serving import serve
from opforge_tools.benchmarks.worker import CaseDesk

ADD = Case("add", "group", numpy="a + a", sizes={"n": 4}, arrays={"a": Array(("n",))})


def ask(*requests, library="numpy"):
    answers = io.StringIO()
    lines = "".join(json.dumps(each) + "\n" for each in requests)
    serve(CaseDesk(library), io.StringIO(lines), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_a_round_follows_its_case():
    prepared, one, several = ask(
        {"do": "prepare", "case": ADD.as_json(), "threads": 1},
        {"do": "round", "seconds": 0},
        {"do": "round", "seconds": 0.005},
    )
    assert prepared == {}
    assert len(one["samples"]) == 1
    assert len(several["samples"]) >= 1


def test_an_exception_is_an_answer():
    broken = Case("broken", "group", numpy="np.no_such_function(1)")
    failed, after = ask(
        {"do": "prepare", "case": broken.as_json(), "threads": 1},
        {"do": "prepare", "case": ADD.as_json(), "threads": 1},
    )
    assert failed["kind"] == "AttributeError"
    assert "no_such_function" in failed["error"]
    assert after == {}


def test_threads_are_set_in_the_library():
    import opforge

    before = opforge.get_num_threads()
    case = Case("add", "group", opforge="nd.ones((2,))")
    try:
        answers = ask(
            {"do": "prepare", "case": case.as_json(), "threads": 2},
            {"do": "threads", "count": 1},
            library="opforge",
        )
        assert answers == [{}, {}]
        assert opforge.get_num_threads() == 1
    finally:
        opforge.set_num_threads(before)
