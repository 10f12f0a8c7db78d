"""The functions that give lists of operators."""

import numpy as np
import pytest

from opforge.contrib import amp


@pytest.mark.parametrize("dtype", ["float16", np.float16, "bfloat16"])
def test_lists(dtype):
    assert "FullyConnected" in amp.list_lp16_ops(dtype)
    assert "exp" in amp.list_fp32_ops(dtype)
    assert "Reshape" in amp.list_lp16_fp32_ops(dtype)
    assert ("Activation", "act_type", ["softrelu"]) in amp.list_conditional_fp32_ops(dtype)
    assert "Concat" in amp.list_widest_type_cast(dtype)
    assert "SoftmaxOutput" in amp.list_loss_output_functions(dtype)
    assert amp.list_lp16_use_fp32_params(dtype) is None


@pytest.mark.parametrize("name", [name for name in amp.__all__ if name.startswith("list_")])
def test_listing_rejects_int8(name):
    with pytest.raises(ValueError, match=rf"amp.{name}: target_dtype is 'int8'"):
        getattr(amp, name)("int8")
