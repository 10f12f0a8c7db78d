"""Requests and answers, a line each; what fails is an answer too."""

import io
import json

from opforge_tools.benchmarks.serving import Desk, serve


class Adder(Desk):
    """Adds two numbers."""

    def _add(self, a, b):
        self.batches = "kept"
        return {"sum": a + b}


def ask(desk, *requests):
    answers = io.StringIO()
    serve(desk, io.StringIO("".join(json.dumps(each) + "\n" for each in requests)), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_each_request_has_its_answer():
    add = {"do": "add", "a": 2, "b": 3}
    assert ask(Adder(), add, {**add, "a": 4}) == [{"sum": 5}, {"sum": 7}]


def test_a_failure_is_an_answer_and_ends_the_case():
    desk = Adder()
    added, failed, after = ask(
        desk, {"do": "add", "a": 1, "b": 1}, {"do": "add", "a": 1, "b": "x"}, {"do": "nothing"}
    )
    assert added == {"sum": 2}
    assert failed["kind"] == "TypeError"
    assert after["kind"] == "AttributeError" and "_nothing" in after["error"]
    assert desk.batches is None
