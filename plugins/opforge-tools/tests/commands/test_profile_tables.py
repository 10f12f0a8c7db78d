"""Table of ``opforge profile``."""

import pytest
from opforge_tools.commands.profile_tables import SORTS, print_profile

from opforge.profiler.tables import Row


def row(name, own, total, count=1, style="span"):
    return Row("operator", name, style, count, total, total / count, total, own, 4000)


ROWS = [
    row("outer", 1e6, 9e6),
    row("inner", 3e6, 3e6, 3),
    row("task", 0, 5e6, style="task"),
    row("number", 0, 7, style="counter"),
]


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)


def test_rows(capsys):
    print_profile(ROWS, 2.5, "own", 25)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["inner", "outer", "task"]
    assert lines[1].split()[2:] == ["3", "3.000", "75.0", "3.000", "1000.00", "1000.00"] + [
        "3000.00",
        "4.0",
    ]
    assert lines[3].split()[2:4] == ["1", "5.000"]  # a task has no time of its own
    assert lines[-1] == "2.500 s, of which 0.004 s in the rows"
    assert "number" not in "".join(lines)


@pytest.mark.parametrize("sort", SORTS)
def test_the_most_expensive_are_shown(capsys, sort):
    print_profile(ROWS, 2.5, sort, 1)
    lines = capsys.readouterr().out.splitlines()
    first = max(ROWS[:3], key=SORTS[sort]).name
    assert lines[1].split()[0] == first
    assert lines[-1].endswith(", 2 more rows not shown")
