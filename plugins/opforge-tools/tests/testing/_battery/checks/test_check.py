from opforge_tools.testing._battery.checks.check import Check, NotApplicable, Remark
from opforge_tools.testing._battery.checks.running import run_checks


def test_a_check_is_a_name_and_a_function():
    def run(subject):
        return len(subject)

    (outcome,) = run_checks([Check("length", run)], "four", {})
    assert (outcome.check, outcome.status, outcome.samples) == ("length", "passed", 4)


def test_inapplicable_checks_are_skipped_with_a_reason():
    def run(subject):
        raise NotApplicable("no rows")

    (outcome,) = run_checks([Check("rows", run)], None, {})
    assert (outcome.status, outcome.message) == ("skipped", "no rows")


def test_checks_that_pass_may_have_a_remark():
    check = Check("rows", lambda subject: Remark(3, "without columns"))
    (outcome,) = run_checks([check], None, {})
    assert (outcome.status, outcome.samples) == ("passed", 3)
    assert outcome.message == "without columns"
