import pytest

from opforge.testing import check_distribution, distribution_parts

NAME = "opforge-quantization"


@pytest.mark.parametrize("part", distribution_parts(NAME))
def test_battery(part, stress):
    check_distribution(NAME, part=part, stress=stress)
