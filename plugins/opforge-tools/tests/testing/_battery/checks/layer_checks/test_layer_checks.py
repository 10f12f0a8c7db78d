from opforge_tools.testing._battery.checks.layer_checks import LAYER_CHECKS


def test_checks_have_distinct_names_and_descriptions():
    names = [check.name for check in LAYER_CHECKS]
    assert len(set(names)) == len(names) >= 6
    assert all(check.run.__doc__ for check in LAYER_CHECKS)
