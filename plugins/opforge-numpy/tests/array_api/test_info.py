"""`__array_namespace_info__`."""

import opforge as mx
from opforge import array_api as xp

INFO = xp.__array_namespace_info__()


def test_types() -> None:
    assert list(INFO.dtypes()) == [
        *("bool", "int8", "int32", "int64", "uint8", "float32", "float64")
    ]
    assert INFO.dtypes(kind=("bool", "unsigned integer")) == {"bool": xp.bool, "uint8": xp.uint8}
    assert INFO.dtypes(kind="complex floating") == {}
    assert INFO.default_dtypes() == {
        "real floating": xp.float32,
        "integral": xp.int64,
        "indexing": xp.int64,
    }


def test_devices() -> None:
    assert INFO.default_device() == mx.cpu()
    assert INFO.devices() == (mx.cpu(),)


def test_capabilities() -> None:
    found = INFO.capabilities()
    assert found["boolean indexing"] and found["data-dependent shapes"]
    assert xp.ones((1,) * found["max dimensions"]).ndim == found["max dimensions"]
