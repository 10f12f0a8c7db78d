"""The guide on testing has one row for each check of the battery."""

import re
from pathlib import Path

from opforge_tools.testing._battery.checks.operator_checks import OPERATOR_CHECKS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "test_an_operator.md"


def test_every_check_is_explained():
    table = PAGE.read_text(encoding="utf-8").partition("| check |")[2].partition("\n\n")[0]
    cells = re.findall(r"^\| ([a-z][^|]*) \|", table, re.MULTILINE)
    assert sorted(name for cell in cells for name in cell.split(", ")) == sorted(
        check.name for check in OPERATOR_CHECKS
    )
