"""Operators are dispatched on the device of the call; the host allocates memory of a device."""

import gc

import numpy as np
import pytest

import opforge
from opforge import autograd, nd, sym
from opforge.base.context import Context
from opforge.base.errors import ContextError, OperatorError, OutOfMemoryError
from opforge.gluon import HybridBlock
from opforge.native.abi.table import CPU
from opforge.op.abi.library import find_operators

from .declarations import FIXED, declare, registered

#: DLPack's kDLExtDev.
OTHER = 12


@pytest.fixture(scope="module", autouse=True)
def operators(devices):
    declarations = [
        declare(devices, "both_devices", saves=()),
        declare(devices, "cpu_only", **FIXED),
        declare(devices, "other_only", **FIXED),
        declare(devices, "memory", **FIXED),
        declare(devices, "missing", **FIXED),
    ]
    with registered(declarations, "abi-devices"):
        yield


def ones(context=None):
    return nd.ones((3,), dtype="float64", ctx=context)


def test_a_library_has_functions_for_each_type_of_device(devices):
    assert list(find_operators(devices, "abi_both_devices")) == [CPU, OTHER]
    assert list(find_operators(devices, "abi_cpu_only")) == [CPU]
    assert list(find_operators(devices, "abi_other_only")) == [OTHER]
    assert [made.device_type for made in find_operators(devices, "abi_uneven").values()] == [CPU, 2]


@pytest.mark.parametrize("hybridized", [False, True])
def test_the_functions_of_the_call_s_device_run(pretend, hybridized):
    class Block(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.abi_both_devices(x)

    block = Block()
    block.hybridize(hybridized)
    for context, number in (
        (opforge.cpu(), 100),
        (pretend(), 1200),
        (pretend(3), 1203),
        (opforge.cpu(1), 101),
        (opforge.cpu_pinned(), 100),
        (opforge.cpu(), 100),
    ):
        x = ones(context)
        x.attach_grad()
        with autograd.record():
            y = block(x)
        y.backward()
        assert y.context == context and y.asnumpy().tolist() == [number] * 3
        assert x.grad.asnumpy().tolist() == [number // 100] * 3


def test_a_missing_kernel_is_one_error(pretend):
    with pytest.raises(OperatorError) as caught:
        nd.abi_cpu_only(ones(pretend(2)))
    assert isinstance(caught.value, ContextError)
    assert str(caught.value).startswith(
        "operator 'abi_cpu_only' (plugin abi-devices 1.0) has no kernel for device 'pretend(2)'; "
        "it has kernels for cpu: move its inputs there with as_in_context"
    )
    assert caught.value.__cause__ is None
    assert (caught.value.operator, caught.value.provider) == ("abi_cpu_only", "abi-devices 1.0")
    assert nd.abi_cpu_only(ones()).asnumpy().tolist() == [100] * 3


@pytest.mark.parametrize("device", ["gpu", "pretend"])
def test_graphs_are_made_without_a_kernel_and_run_with_one(pretend, device):
    """A symbol may be made under a context on which it is not computed."""
    with Context(device):
        symbol = sym.abi_cpu_only(sym.ones((3,), dtype="float64")) * 2
    assert symbol.infer_shape()[1] == [(3,)]
    assert symbol.bind(opforge.cpu(), {}).forward()[0].asnumpy().tolist() == [200] * 3
    with pytest.raises(ContextError, match=r"^operator 'abi_cpu_only' .* 'pretend\(1\)'"):
        symbol.bind(pretend(1), {}).forward()


def test_a_gradient_has_the_same_error(pretend, devices):
    prop = declare(devices, "both_devices", saves=())()
    x = [ones(opforge.cpu())]
    pretend()
    compute = prop.compute_on(opforge.gpu())
    for call in (
        lambda: compute(x, x, ["write"]),
        lambda: compute.gradient(x, x, x, [ones()], ["write"], []),
    ):
        with pytest.raises(ContextError, match=r"for device 'gpu\(0\)'; .* for cpu, pretend: "):
            call()


def test_an_operator_may_have_no_kernel_for_the_cpu(pretend):
    assert nd.abi_other_only(ones(pretend(1))).asnumpy().tolist() == [1201] * 3
    with pytest.raises(ContextError, match=r"for device 'cpu\(0\)'; it has kernels for pretend: "):
        nd.abi_other_only(ones())


def test_types_of_devices_without_a_name_are_shown_by_number():
    with pytest.raises(ContextError, match="it has kernels for DLPack device type 12"):
        nd.abi_other_only(ones())


def test_gradients_exist_on_all_devices_or_none(devices):
    with pytest.raises(TypeError, match=r"backward, .* some of the devices cpu, gpu only"):
        declare(devices, "uneven")


def test_memory_of_the_host_s_allocator_lives_until_it_is_released(devices):
    gc.collect()
    before = opforge.memory_stats()["lent_bytes"]
    prop = declare(devices, "memory", **FIXED)()
    x = nd.zeros((1000,), dtype="float64")
    out = nd.zeros((1000,), dtype="float64")
    for _ in range(3):
        prop.compute([x], [out], ["write"])
        np.testing.assert_array_equal(out.asnumpy(), np.arange(1000) + 7)
    held = opforge.memory_stats()["lent_bytes"] - before
    assert held >= 4096 + 8, "the plan and the state"
    prop.compute([x], [out], ["write"])
    assert opforge.memory_stats()["lent_bytes"] - before == held
    del prop
    gc.collect()
    assert opforge.memory_stats()["lent_bytes"] == before


def test_a_device_without_an_allocator_is_an_error():
    with pytest.raises(OperatorError, match="no loaded plugin provides this device") as caught:
        nd.abi_missing(ones())
    assert isinstance(caught.value.__cause__, OutOfMemoryError)
