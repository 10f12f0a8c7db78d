"""The table of elementwise operations, from which kernels, codes and names are generated."""

import re
from pathlib import Path

import pytest

from opforge import std
from opforge.base.dtypes import NAMES, code_of, dtype_of
from opforge.native import array, calls
from opforge.native.calls.elementwise import gives_mask

HEADER = (
    Path(__file__).parents[4] / "core/opforge/native/kernels/opforge_elementwise_ops.h"
).read_text()
ROW = re.compile(r"^    X\((\w+), +(\w+), +(\w+), +(\w+), +(\w+)\)", re.MULTILINE)
UNARY, BINARY = (
    {name: columns for name, *columns in ROW.findall(text)}
    for text in HEADER.split("#define OPFORGE_BINARY_OPS")
)

DTYPES = [dtype_of(code) for code in range(len(NAMES))]
TABLES = {"unary": UNARY, "binary": BINARY}

#: Operations that plugins provide.
ACTIVATIONS = {"relu", "sigmoid", "softrelu", "softsign"}
#: Selected by `native/loops` when all exponents are equal.
INTERNAL = {"power_alike"}


def kernels_of_std(*kinds):
    pairs = {row.elementwise_kernel for row in std.ROWS} - {None}
    return {name for kind, name in pairs if kind in kinds}


def test_std_uses_the_operations_of_the_table():
    assert kernels_of_std("unary") == UNARY.keys() - ACTIVATIONS
    assert kernels_of_std("binary") == BINARY.keys() - INTERNAL
    assert kernels_of_std("scalar") <= BINARY.keys()


@pytest.mark.parametrize("kind", TABLES)
def test_every_column_has_a_known_value(kind):
    for name, (loop, cost, byte, result) in TABLES[kind].items():
        assert loop in {"EACH", "ROW"}, name
        assert cost in {"CHEAP", "VECTOR", "WIDE", "LIBM"}, name
        assert byte in {"BYTE", "INT32"}, name
        assert result in {"MASK", "VALUE"}, name


@pytest.mark.parametrize("kind", TABLES)
def test_masks_are_those_of_the_table(kind):
    for name, (*_, result) in TABLES[kind].items():
        assert gives_mask(kind, name) is (result == "MASK"), name


@pytest.mark.parametrize("dtype", DTYPES, ids=NAMES)
@pytest.mark.parametrize("kind", TABLES)
def test_every_operation_has_kernels_of_every_type(kind, dtype):
    zero = array.zeros((3,), code_of(dtype))
    out = array.empty((3,), code_of(dtype))
    for name in TABLES[kind]:
        if kind == "unary":
            calls.unary(name, zero, out)
        else:
            calls.binary(name, zero, zero, out)
