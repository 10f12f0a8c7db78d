"""A failed allocation in an operator is a MemoryError and an MXNetError with operator and bytes."""

import pytest

from .processes import run_program

PROGRAM = """
import re, resource
import opforge as mx
from opforge import autograd, nd
from opforge.base import MXNetError

mx.set_num_threads(2)
HARD = resource.getrlimit(resource.RLIMIT_AS)[1]

def limit(headroom):
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + headroom, HARD))

def lift():
    resource.setrlimit(resource.RLIMIT_AS, (HARD, HARD))

def expect_named(error):
    assert isinstance(error, MemoryError) and isinstance(error, MXNetError), repr(error)
    text = str(error)
    assert re.search("operator '\\\\w+'", text), text
    assert re.search("[0-9]+ bytes|Unable to allocate [0-9.]+ .iB", text), text

def run():
    with autograd.record():
        y = call(*inputs)
    y = y[0] if isinstance(y, list) else y
    y.backward()
    return y

def failures():
    # In forward first, in backward with more memory.
    found = 0
    for headroom in range(0, 1 << 30, {step} << 20):
        mx.release_pool()
        limit(headroom)
        try:
            run()
        except Exception as error:
            lift()
            expect_named(error)
            found += 1
        else:
            lift()
            return found
    raise AssertionError("never enough memory")

def ones(*shape):
    return nd.ones(shape)

inputs = {inputs}
call = lambda *x: {call}
for item in inputs:
    item.attach_grad()
"""

#: name -> (call of the inputs `x`, inputs, step of the limit in MiB).
OPERATORS = {
    "exp": ("nd.exp(*x)", "[ones(1024, 4096)]", 6),
    "arithmetic": ("(2 - x[0]) * x[1]", "[ones(1024, 4096), ones(1024, 1)]", 6),
    "dot": ("nd.dot(*x)", "[ones(4096, 512), ones(512, 4096)]", 12),
    "sort": ("nd.sort(x[0], axis=1)", "[ones(1024, 4096)]", 12),
    "concat": ("nd.concat(*x, dim=1)", "[ones(2048, 2048), ones(2048, 4096)]", 12),
    "take": ("nd.take(*x)", "[ones(4096, 1024), nd.zeros((8192,))]", 12),
    "softmax": ("nd.softmax(*x)", "[ones(1024, 4096)]", 6),
    "lstm": (
        "nd.RNN(*x, mode='lstm', state_size=128, num_layers=1)",
        "[ones(32, 1024, 512), ones(328704), ones(1, 1024, 128), ones(1, 1024, 128)]",
        6,
    ),
    "LayerNorm": ("nd.LayerNorm(*x)", "[ones(1024, 4096), ones(4096), ones(4096)]", 6),
    "Convolution": (
        "nd.Convolution(*x, kernel=(3, 3), num_filter=64, no_bias=True)",
        "[ones(4, 64, 128, 128), ones(64, 64, 3, 3)]",
        6,
    ),
    "Pooling": (
        "nd.Pooling(*x, kernel=(2, 2), stride=(2, 2))",
        "[ones(8, 32, 256, 256)]",
        6,
    ),
    "SequenceReverse": ("nd.SequenceReverse(*x)", "[ones(16, 512, 1024)]", 6),
    "UpSampling": (
        "nd.UpSampling(*x, scale=2, sample_type='nearest')",
        "[ones(8, 32, 128, 128)]",
        12,
    ),
}

#: malloc returns freed blocks to the system, so that the limit applies to their successors.
KEEPS_NOTHING = {"MALLOC_MMAP_THRESHOLD_": str(1 << 17)}

WARM = """
run()  # libraries are loaded, plans are made
assert failures() >= 1
"""


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_without_memory_name_themselves_and_the_bytes(name: str) -> None:
    call, inputs, step = OPERATORS[name]
    run_program(PROGRAM.format(call=call, inputs=inputs, step=step) + WARM, **KEEPS_NOTHING)


def test_an_operator_that_cannot_load_openblas_is_out_of_memory() -> None:
    """The first product loads the library, here from a plugin's function."""
    call = "nd.RNN(*x, mode='gru', state_size=8, num_layers=1)"
    inputs = "[ones(3, 2, 8), ones(432), ones(1, 2, 8)]"
    program = PROGRAM.format(call=call, inputs=inputs, step=8)
    run_program(
        program
        + """
nd.RNN(ones(0, 2, 8), *inputs[1:], mode="gru", state_size=8, num_layers=1)  # loads the plugin
limit(60 << 20)
try:
    run()
except Exception as error:
    lift()
    expect_named(error)
    assert "OpenBLAS" in str(error), error
else:
    raise AssertionError("there was memory for it")
"""
    )


def test_a_hybridized_network_without_memory_names_an_operator() -> None:
    call, inputs = "net(*x)", "[ones(4096, 512)]"
    program = PROGRAM.format(call=call, inputs=inputs, step=12)
    run_program(
        program
        + """
net = mx.gluon.nn.HybridSequential()
net.add(mx.gluon.nn.Dense(4096, flatten=False), mx.gluon.nn.LayerNorm())
net.initialize()
net.hybridize()
"""
        + WARM,
        **KEEPS_NOTHING,
    )


def test_asnumpy_without_memory() -> None:
    program = PROGRAM.format(call="x", inputs="[ones(4096, 4096)]", step=6)
    run_program(
        program
        + """
limit(1 << 20)
try:
    inputs[0].asnumpy()
except Exception as error:
    lift()
    assert isinstance(error, MemoryError) and isinstance(error, MXNetError), repr(error)
    assert "67108864 bytes" in str(error), error
else:
    raise AssertionError("there was memory for it")
"""
    )
