"""There is no CUDA: both classes say so in MXNet's words, and what there is instead."""

import pytest

import opforge as mx


@pytest.mark.parametrize(
    "make",
    [
        lambda: mx.rtc.CudaModule('extern "C" __global__ void f() {}', exports=["f"]),
        lambda: mx.rtc.CudaKernel(None, "f", [], []),
    ],
)
def test_source_and_module_are_rejected(make):
    with pytest.raises(mx.MXNetError, match="USE_CUDA=1 and ENABLE_CUDA_RTC=1") as caught:
        make()
    assert "opforge.rtc(name, inputs, outputs, kernel)" in str(caught.value)
