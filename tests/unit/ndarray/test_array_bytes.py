import struct

import pytest

from opforge.base.errors import OpforgeError
from opforge.ndarray.array_bytes import CPU, STORAGE, V2, single_array


def array_bytes(shape, code, elements):
    header = struct.pack(f"<Iii{len(shape)}q", V2, STORAGE["default"], len(shape), *shape)
    return header + CPU + struct.pack("<i", code) + elements


def test_one_array_without_the_header_of_a_file():
    x = single_array(array_bytes((2,), 4, struct.pack("<ii", 5, -6)))
    assert (x.asnumpy().tolist(), x.dtype_code) == ([5, -6], 4)


@pytest.mark.parametrize(
    "content",
    [b"", b"junk", array_bytes((2,), 4, b"\0" * 7), array_bytes((2,), 99, b"\0" * 8)],
)
def test_other_bytes_are_rejected(content):
    with pytest.raises(OpforgeError, match="pickle is not an array file or is damaged"):
        single_array(content)
