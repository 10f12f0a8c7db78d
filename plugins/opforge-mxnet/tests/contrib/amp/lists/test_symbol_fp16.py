"""Which operators compute in which type."""

import pytest

from opforge.contrib.amp.lists import symbol_fp16 as lists


def test_no_operator_is_in_two_lists():
    conditional = [name for name, _, _ in lists.CONDITIONAL_FP32_FUNCS]
    groups = [lists.FP16_FUNCS, lists.FP32_FUNCS, lists.WIDEST_TYPE_CASTS, conditional]
    every = [name for group in groups for name in group]
    assert len(every) == len(set(every))
    assert not set(every) & set(lists.FP16_FP32_FUNCS)
    assert set(lists.LOSS_OUTPUT_FUNCTIONS) <= set(lists.FP32_FUNCS)


@pytest.mark.plugins
def test_all_other_operators_accept_both_types():
    assert {"Reshape", "relu", "Cast", "_plus_scalar"} <= set(lists.FP16_FP32_FUNCS)
    with pytest.raises(AttributeError, match="BF16_FUNCS"):
        _ = lists.BF16_FUNCS
