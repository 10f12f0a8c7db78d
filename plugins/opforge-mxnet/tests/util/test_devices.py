import pytest

import opforge as mx
from opforge import util


def test_there_are_no_gpus():
    assert util.get_gpu_count() == 0
    with pytest.raises(mx.MXNetError, match=r"there is no gpu\(1\)"):
        util.get_gpu_memory(1)
    with pytest.raises(mx.MXNetError, match=r"there is no gpu\(2\)"):
        mx.context.gpu_memory_info(2)
    with pytest.raises(mx.MXNetError, match=r"there is no gpu\(0\)"):
        util.get_cuda_compute_capability(mx.gpu())
    with pytest.raises(ValueError, match=r"expected a gpu context, got cpu\(0\)"):
        util.get_cuda_compute_capability(mx.cpu())
