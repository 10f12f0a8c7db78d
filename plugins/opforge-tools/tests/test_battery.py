from opforge.testing import check_distribution


def test_battery():
    own, *modules = check_distribution("opforge-tools")
    assert {report.subject for report in modules} == {"benchmarks", "testing"}
    assert "commands" in [outcome.check for outcome in own.outcomes]
