"""Which failures of a load say that there was no memory."""

import errno

import pytest

from opforge.plugin.scarcity import lacked_memory


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
