"""The module is MXNet's callable of before 1.0 and its module of after."""

import opforge as mx
from opforge.rtc import Rtc


def test_calling_the_module_makes_a_kernel():
    x, y = mx.nd.ones((2,)), mx.nd.zeros((2,))
    kernel = mx.rtc("softmax", [("x", x)], [("y", y)])
    assert isinstance(kernel, Rtc)
    assert repr(kernel) == "<Rtc softmax: x -> y>"


def test_it_is_a_module():
    assert mx.rtc.__name__ == "opforge_mxnet.rtc"
    assert {"CudaModule", "CudaKernel", "Rtc"} == set(mx.rtc.__all__)
