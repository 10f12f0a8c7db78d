from opforge.testing import check_distribution


def test_battery():
    (own,) = check_distribution("opforge-tools")
    assert "commands" in [outcome.check for outcome in own.outcomes]
