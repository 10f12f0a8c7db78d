"""PyTorch tensors that share memory of arrays, and the reverse."""

import numpy as np
import pytest

from opforge import nd

torch = pytest.importorskip("torch", reason="a peer of 200 MB: pip install torch")


def test_memory_is_shared_both_ways():
    x = nd.zeros((2, 3))
    tensor = torch.from_dlpack(x)
    tensor[0, 1] = 5
    x[1, 2] = 7
    assert tensor.tolist() == x.tolist() == [[0, 5, 0], [0, 0, 7]]
    tensor = torch.ones(4)
    y = nd.from_dlpack(tensor)
    y[:] = 2
    tensor[0] = 3
    assert y.tolist() == tensor.tolist() == [3, 2, 2, 2]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64", "uint8"])
def test_copies(dtype):
    values = np.arange(6).reshape(2, 3).astype(dtype)
    tensor = torch.tensor(values)
    assert nd.array(tensor, dtype=dtype).tolist() == values.tolist()
    assert nd.from_dlpack(tensor).dtype is values.dtype.type
    assert torch.equal(torch.as_tensor(nd.array(values, dtype=dtype)), tensor)


def test_bfloat16_is_shared_both_ways():
    x = nd.array([[1, 2.5], [-3, 300]], dtype="bfloat16")
    tensor = torch.from_dlpack(x)
    assert tensor.dtype is torch.bfloat16 and tensor.tolist() == x.tolist()
    tensor[0, 0] = 5
    y = nd.from_dlpack(tensor)
    y[1, 1] = 7
    assert x.tolist() == y.tolist() == tensor.tolist() == [[5, 2.5], [-3, 7]]
    assert nd.array(tensor, dtype="bfloat16").tolist() == x.tolist()


def test_mixed_arithmetic_raises_with_a_conversion_hint():
    for call in (lambda x, t: x + t, lambda x, t: t + x):
        with pytest.raises(TypeError, match="not supported"):
            call(nd.ones(2), torch.ones(2))
