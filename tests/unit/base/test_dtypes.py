import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import opforge
from opforge.base import dtypes
from opforge.base.errors import DTypeError

NATIVE = Path(opforge.__file__).parent / "native"


@pytest.mark.parametrize(("code", "name"), list(enumerate(dtypes.NAMES)))
def test_every_spelling_has_the_code(code, name):
    scalar = dtypes.dtype_of(code)
    assert dtypes.code_of(name) == code
    assert dtypes.code_of(np.dtype(scalar)) == code
    assert dtypes.code_of(scalar) == code
    assert dtypes.ITEMSIZES[code] == np.dtype(scalar).itemsize


def test_python_types_and_none():
    assert [dtypes.code_of(t) for t in (None, float, int, bool)] == [0, 0, 4, 7]


@pytest.mark.parametrize(
    "bad", ["complex64", "nothing", [], object(), np.uint16, ml_dtypes.float8_e4m3fn]
)
def test_unsupported_types_name_the_supported(bad):
    with pytest.raises(DTypeError, match="float32, float64"):
        dtypes.code_of(bad)


@pytest.mark.parametrize("row", dtypes.TYPES, ids=dtypes.NAMES)
def test_the_table_agrees_with_numpy(row):
    scalar = dtypes.dtype_of(dtypes.code_of(row.name))
    if row.is_floating:
        info = ml_dtypes.finfo(scalar)
        assert (row.bits, row.precision, row.exponent) == (info.bits, info.nmant + 1, info.nexp)
        assert row.largest == float(info.max)
    elif row.name != "bool":
        info = np.iinfo(scalar)
        assert (row.bits, row.largest) == (info.bits, float(info.max))
    assert row.is_floating == (row.name in dtypes.FLOAT_NAMES)
    assert row.is_half == (row.name in ("float16", "bfloat16"))
    assert dtypes.element_type(row.computed_in).bits >= min(row.bits, 32)
    assert dtypes.code_of_mxnet(row.mxnet_code) == dtypes.code_of(row.name)


def test_native_constants_agree_with_the_table():
    text = (NATIVE / "memory" / "types.pxd").read_text()
    found = dict(re.findall(r"^    (F32|F64|F16|U8|I32|I8|I64|BOOL|BF16) = (\d+)$", text, re.M))
    names = [
        re.sub(r"^(F|I|U)", lambda m: {"F": "float", "I": "int", "U": "uint"}[m[1]], key)
        for key in found
    ]
    names = [{"BOOL": "bool", "BF16": "bfloat16"}.get(name, name) for name in names]
    assert {name: int(code) for name, code in zip(names, found.values(), strict=True)} == {
        name: code for code, name in enumerate(dtypes.NAMES)
    }
    assert int(re.search(r"N_DTYPES = (\d+)", text)[1]) == len(dtypes.TYPES)
    rows = re.findall(r"OPFORGE_ELEMENT_TYPE\((\d+), (\d+)\), +/\* (\w+) \*/", text)
    assert [row[2] for row in rows] == [*dtypes.NAMES]
    assert [int(row[1]) // 8 for row in rows] == [*dtypes.ITEMSIZES]
    kinds = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "bool": 6}  # DLPack's
    assert [int(row[0]) for row in rows] == [
        kinds[name.rstrip("0123456789")] for name in dtypes.NAMES
    ]
