import json

import pytest

from opforge.testing import CheckFailedError, Outcome, Report

PASSED = Outcome("forward", "passed", 4)
FAILED = Outcome("gradients", "failed", message="analytic 1, numeric 2")
SKIPPED = Outcome("slices", "skipped", message="no rows")
KNOWN = Outcome("threads", "expected failure", message="issue 7")


def report(*outcomes, minimum=1):
    return Report("gelu", "operator", "acme 1.0", outcomes, minimum, {"overhead": 1.5})


def test_a_pass():
    found = report(PASSED, SKIPPED, KNOWN)
    assert found.passed and found.ran == 2
    assert found.verdict == "operator gelu: 1 passed, 1 expected failure, 1 skipped"
    found.raise_for_failures()
    assert (found.status_of("slices"), found.message_of("slices")) == ("skipped", "no rows")


def test_a_failure_is_raised_with_the_table():
    with pytest.raises(CheckFailedError, match="analytic 1, numeric 2") as caught:
        report(PASSED, FAILED).raise_for_failures()
    assert isinstance(caught.value, AssertionError)
    assert caught.value.reports[0].failures == [FAILED]


def test_too_few_checks_do_not_pass():
    found = report(PASSED, SKIPPED, minimum=2)
    assert found.too_few and not found.passed
    with pytest.raises(CheckFailedError, match="only 1 ran; at least 2 are required"):
        found.raise_for_failures()


def test_json():
    text = report(PASSED, FAILED).to_json()
    found = json.loads(text)
    assert found["passed"] is False and found["ran"] == 2
    assert found["checks"][1]["message"] == "analytic 1, numeric 2"
    assert found["measured"] == {"overhead": 1.5}
