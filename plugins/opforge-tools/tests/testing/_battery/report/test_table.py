from opforge_tools.testing._battery.report.table import table_of, text_of

from opforge.testing import Outcome, Report

REPORT = Report(
    "gelu",
    "operator",
    "",
    (Outcome("forward", "passed", 4), Outcome("slices", "skipped", message="no [bold] rows")),
    measured={"throughput, elements/s": 1.25e9},
)


def test_text_has_a_line_for_each_check_and_figure():
    heading, forward, slices, figure = text_of(REPORT.outcomes, REPORT.measured).splitlines()
    assert heading.split() == ["check", "result", "samples", "why"]
    assert forward.split() == ["forward", "passed", "4"]
    assert slices.endswith("no [bold] rows"), "messages are no markup"
    assert figure.endswith("1.25e+09")


def test_file_and_line_stay_whole_below_the_table():
    place = f"/home/{'long/' * 60}layers.py:31"
    long = "x" * 300
    outcome = Outcome("forward", "failed", message=long, where=place)
    lines = text_of((outcome,), {}).splitlines()
    assert lines[-1] == f"forward: {place}"
    assert sum(line.count("x") for line in lines[1:-1]) == 300, "nothing of the message is cut"


def test_table_is_the_same_for_the_command_line():
    assert len(table_of(REPORT.outcomes, REPORT.measured).rows) == 3
