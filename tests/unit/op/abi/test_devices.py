"""DLPack's numbers for contexts; tests/abi tests the dispatch on devices."""

import pytest

import opforge
from opforge.op.abi.devices import device_of, type_names


@pytest.mark.parametrize(
    ("context", "device"),
    [
        (opforge.cpu(3), (1, 3)),
        (opforge.gpu(1), (2, 1)),
        (opforge.cpu_pinned(2), (1, 2)),
        (opforge.Context("cpu_shared"), (1, 0)),
    ],
)
def test_memory_of_the_host_belongs_to_the_cpu(context, device):
    assert device_of(context) == device


def test_types_have_names():
    assert type_names([1, 2, 14]) == "cpu, gpu, DLPack device type 14"
