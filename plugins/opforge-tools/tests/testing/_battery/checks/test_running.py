import pytest
from opforge_tools.testing._battery.checks.check import Check, NotApplicable, Unwise
from opforge_tools.testing._battery.checks.running import run_checks, selected
from opforge_tools.testing._battery.report.junit import junit_text
from opforge_tools.testing._battery.report.report import Report

from opforge import nd


def fail(subject):
    raise AssertionError("not equal")


def crash(subject):
    return subject["nothing"]


def leave(subject):
    raise SystemExit(3)


def skip(subject):
    raise NotApplicable("no rows")


CHECKS = [Check("good", lambda subject: 2), Check("bad", fail), Check("crash", crash)]


def test_failures_have_their_message_and_crashes_the_line():
    good, bad, crashed = run_checks(CHECKS, {}, {})
    assert (good.status, bad.status, crashed.status) == ("passed", "failed", "failed")
    assert bad.message == "not equal"
    assert crashed.message == "KeyError: 'nothing'"
    assert crashed.where.startswith(f"{__file__}:")


def test_compiled_modules_of_opforge_are_not_the_author_s_code():
    def call(subject):
        return nd.exp(3)  # line of the author; the error is raised in dispatch.pyx

    (outcome,) = run_checks([Check("call", call)], None, {})
    line = call.__code__.co_firstlineno + 1
    assert (outcome.status, outcome.where) == ("failed", f"{__file__}:{line}")


def test_code_that_ends_the_program_is_a_failure():
    (outcome,) = run_checks([Check("leave", leave)], None, {})
    assert outcome.status == "failed" and "SystemExit" in outcome.message


def test_warnings_do_not_fail():
    def warn(subject):
        raise Unwise("it bounds numpy")

    outcomes = run_checks([Check("warn", warn)], None, {})
    report = Report("acme", "distribution", "acme 1.0", outcomes)
    assert report.passed and report.verdict == "distribution acme: 1 warned"
    assert "warned" in str(report) and "it bounds numpy" in str(report)
    assert "<system-out>it bounds numpy" in junit_text([report])


def test_expected_failures():
    expected = {"good": "it was broken once", "bad": "issue 7"}
    good, bad, _ = run_checks(CHECKS, {}, expected)
    assert (bad.status, bad.message) == ("expected failure", "issue 7")
    assert good.status == "failed" and "it was broken once" in good.message
    (skipped,) = run_checks([Check("skip", skip)], {}, {"skip": "issue 8"})
    assert (skipped.status, skipped.message) == ("skipped", "no rows")


@pytest.mark.parametrize("reason", ["", " ", None])
def test_an_expected_failure_needs_a_reason(reason):
    with pytest.raises(ValueError, match=r"expected_failures\['bad'\].*reason"):
        run_checks(CHECKS, {}, {"bad": reason})


def test_selection():
    assert [c.name for c in selected(CHECKS, "gelu", "gelu/(good|bad)")] == ["good", "bad"]
    assert selected(CHECKS, "gelu", "softmax") == []
    assert len(selected(CHECKS, "gelu", None)) == 3
    with pytest.raises(ValueError, match="not a valid regular expression"):
        selected(CHECKS, "gelu", "(")
    with pytest.raises(ValueError, match="'godd', which is not a check; expected one of good"):
        selected(CHECKS, "gelu", None, ["godd"])
