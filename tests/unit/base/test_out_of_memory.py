"""Failures that report a lack of memory, and the operator that an error names."""

import errno

import pytest

from opforge.base.errors import MXNetError
from opforge.base.out_of_memory import lacked_memory, named_out_of_memory


def caused(error):
    wrapped = RuntimeError("cannot load")
    wrapped.__cause__ = error
    return wrapped


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), True),
        (ImportError("_x.so: failed to map segment from shared object"), True),
        (ImportError("libx.so: cannot map zero-fill pages: Cannot allocate memory"), True),
        (caused(MemoryError()), True),
        (OSError(errno.ENOENT, "No such file or directory"), False),
        (ImportError("libx.so: cannot allocate memory in static TLS block"), False),  # for ever
        (SystemExit(12), False),
        (caused(ValueError()), False),
    ],
)
def test_lacked_memory(error, expected):
    assert lacked_memory(error) is expected


def test_an_error_names_the_operator_and_keeps_the_text():
    error = named_out_of_memory("exp", "backward", MemoryError("cannot allocate 8 bytes"))
    assert isinstance(error, MemoryError) and isinstance(error, MXNetError)
    assert str(error) == "operator 'exp' ran out of memory in backward: cannot allocate 8 bytes"
    assert error.operator == "exp"


def test_an_error_that_names_an_operator_stays():
    inner = named_out_of_memory("exp", "forward", MemoryError())
    assert str(inner).endswith("Python could not allocate an object")
    assert named_out_of_memory("softmax", "forward", inner) is inner
