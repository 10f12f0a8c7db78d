"""The table of functions of two operands."""

import pytest

from opforge.op.registry.registry import lookup
from opforge.std.two_sided import TWO_SIDED


@pytest.mark.parametrize("name", TWO_SIDED)
def test_every_operator_exists(name):
    row = TWO_SIDED[name]
    for operator in (row.equal, row.broadcast, row.scalar, row.mirrored):
        assert lookup(operator) is not None


def test_comparisons_of_numbers_are_0_or_1():
    for name, row in TWO_SIDED.items():
        if row.is_comparison:
            assert row.number(2.0, 3.0) in (0, 1), name


def test_a_huge_power_is_computed_in_floating_point():
    with pytest.raises(OverflowError):
        TWO_SIDED["power"].number(10, 1 << 20)
