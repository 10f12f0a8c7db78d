import numpy as np
import pytest

from opforge.base import dtypes
from opforge.base.errors import DTypeError


@pytest.mark.parametrize(("code", "name"), list(enumerate(dtypes.NAMES)))
def test_every_spelling_has_the_code(code, name):
    assert dtypes.code_of(name) == code
    assert dtypes.code_of(np.dtype(name)) == code
    assert dtypes.code_of(dtypes.dtype_of(code)) == code
    assert dtypes.ITEMSIZES[code] == np.dtype(name).itemsize


def test_python_types_and_none():
    assert [dtypes.code_of(t) for t in (None, float, int, bool)] == [0, 0, 4, 7]


@pytest.mark.parametrize("bad", ["complex64", "nothing", [], object(), np.uint16])
def test_unsupported_types_name_the_supported(bad):
    with pytest.raises(DTypeError, match="float32, float64"):
        dtypes.code_of(bad)


def test_floating():
    assert [dtypes.is_floating(c) for c in range(8)] == [True] * 3 + [False] * 5
