from opforge_tools.testing._battery.checks.operator_checks import OPERATOR_CHECKS


def test_checks_have_distinct_names_and_descriptions():
    names = [check.name for check in OPERATOR_CHECKS]
    assert len(set(names)) == len(names) >= 21
    assert all(check.run.__doc__ for check in OPERATOR_CHECKS)
