"""The page about rules lists the kinds that opforge asks for, with their parameters."""

from pathlib import Path

import pytest

from opforge.op.rules.kinds import RULE_KINDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "add_rules.md"


@pytest.mark.parametrize("kind", RULE_KINDS.values(), ids=lambda kind: kind.name)
def test_a_kind_has_its_row(kind):
    row = f"| `{kind.name}` | `f({kind.parameters})` | {kind.purpose} |"
    assert row in PAGE.read_text(encoding="utf-8").splitlines()
