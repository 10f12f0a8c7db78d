import json
import random
import struct

import numpy as np
import pytest

from opforge import gluon, nd
from opforge.base.dtypes import NAMES
from opforge.base.errors import OpforgeError
from opforge.ndarray.array_headers import ArrayHeader, read_headers


def content(entries, elements, header=None):
    text = json.dumps(entries).encode() if header is None else header
    return struct.pack("<Q", len(text)) + text + elements


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("wait", [True, False])
def test_every_type_and_shape_comes_back(path, wait):
    shapes = [(1,), (3,), (2, 3), (0, 3), (2, 1, 2)]
    arrays = {
        f"{dtype}{shape}": nd.array(np.arange(np.prod(shape)).reshape(shape) % 2, dtype=dtype)
        for dtype in NAMES
        for shape in shapes
    }
    nd.save(path, arrays, wait)
    found = nd.load(path)
    assert list(found) == list(arrays)
    for name, array in found.items():
        assert (array.shape, array.dtype) == (arrays[name].shape, arrays[name].dtype)
        np.testing.assert_array_equal(array.asnumpy(), arrays[name].asnumpy())
    assert {n: a.shape for n, a in nd.load_frombuffer(path.read_bytes()).items()} == {
        n: a.shape for n, a in arrays.items()
    }


def test_wide_elements_come_first_and_all_are_aligned(path):
    nd.save(path, {"b": nd.ones(3, dtype="int8"), "ü": nd.ones(2), "d": nd.ones(1, dtype="int64")})
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    entries = json.loads(raw[8 : 8 + length])
    assert length % 8 == 0 and list(entries) == ["b", "ü", "d"]
    assert [entries[name]["data_offsets"] for name in "düb"] == [[0, 8], [8, 16], [16, 19]]


class Scale(gluon.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.factor = self.params.get("factor", shape=(3,), init="uniform")


def test_parameters_of_a_block_go_both_ways(path):
    first, second = Scale(), Scale()
    first.initialize()
    first.save_parameters(path)
    second.load_parameters(path)
    np.testing.assert_array_equal(second.factor.data().asnumpy(), first.factor.data().asnumpy())
    assert read_headers(path) == [ArrayHeader("factor", (3,), "float32")]


def test_bfloat16_keeps_its_type_and_loads_into_float32_parameters(path):
    values = np.array([1.5, -2.0, -0.15625], np.float32)
    halves = (values.view(np.uint32) >> 16).astype("<u2")
    path.write_bytes(content({"factor": entry("BF16", [3], 0, 6)}, halves.tobytes()))
    (x,) = nd.load(path).values()
    assert x.dtype.__name__ == "bfloat16"
    assert x.tolist() == values.tolist()
    assert read_headers(path) == [ArrayHeader("factor", (3,), "bfloat16")]
    block = Scale()
    block.load_parameters(path)
    assert block.factor.data().dtype is np.float32
    assert block.factor.data().tolist() == values.tolist()


def test_a_single_number_has_one_axis_and_remarks_are_passed_over(path):
    entries = {"__metadata__": {"format": "pt"}, "x": entry("I64", [], 0, 8)}
    path.write_bytes(content(entries, struct.pack("<q", 7)))
    assert {name: array.tolist() for name, array in nd.load(path).items()} == {"x": [7]}


@pytest.mark.parametrize(
    "data, message",
    [
        ([nd.ones(1)], "by name: pass a dict"),
        (nd.ones(1), "by name: pass a dict"),
        ({"x": nd.ones((1, 2)).tostype("csr")}, r"'x' is a csr array.*tostype\('default'\)"),
        ({"__metadata__": nd.ones(1)}, "'__metadata__' is reserved in .*: use another name or"),
    ],
)
def test_unsupported_data_is_rejected_before_writing(path, data, message):
    path.write_bytes(b"precious")
    with pytest.raises(ValueError, match=message):
        nd.save(path, data)
    assert path.read_bytes() == b"precious"


GOOD = entry("U8", [2], 0, 2)
DAMAGED = {
    "no JSON": content(None, b"", b"{nonsense"),
    "nested without end": content(None, b"", b'{"a":' + b"[" * 100_000),
    "header beyond the end": struct.pack("<Q", 1 << 40) + b"{}",
    "header of more than any": struct.pack("<Q", 1 << 63) + b"{}",
    "no object": content(None, b"", b'{"x": 3}'),
    "twice": content(None, b"ab", b'{"x":%s,"x":%s}' % ((json.dumps(GOOD).encode(),) * 2)),
    "cut": content({"x": GOOD}, b"a"),
    "more": content({"x": GOOD}, b"abc"),
    "a hole": content({"x": entry("U8", [1], 1, 2)}, b"ab"),
    "overlapping": content({"x": GOOD, "y": entry("U8", [1], 1, 2)}, b"ab"),
    "other length": content({"x": entry("U8", [3], 0, 2)}, b"ab"),
    "unknown type": content({"x": entry("F8_E4M3", [2], 0, 2)}, b"ab"),
    "type no text": content({"x": entry([1], [2], 0, 2)}, b"ab"),
    "negative": content({"x": entry("U8", [-2, -1], 0, 2)}, b"ab"),
    "fractions": content({"x": entry("U8", [2.0], 0, 2)}, b"ab"),
    "truth": content({"x": entry("U8", [True, 2], 0, 2)}, b"ab"),
    "huge": content({"x": entry("U8", [0, 1 << 62, 1 << 62], 0, 0)}, b""),
    "huge halves": content({"x": entry("BF16", [0, 1 << 62, 1 << 62], 0, 0)}, b""),
    "large": content({"x": entry("F32", [1 << 40], 0, 1 << 42)}, b""),
    "deep": content({"x": entry("U8", [1] * 40, 0, 1)}, b"a"),
    "an entry lacks": content({"x": {"dtype": "U8", "shape": [2]}}, b"ab"),
    "no text": content(None, b"", b'{"\xff": 1}'),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_file_is_rejected(path, what):
    path.write_bytes(DAMAGED[what])
    for read in (nd.load, read_headers):
        with pytest.raises(
            OpforgeError, match=r"model\.safetensors is not an array file or is damaged"
        ):
            read(path)


def test_changed_bytes_are_rejected_or_read(path):
    nd.save(path, {"weight": nd.ones((2, 3)), "flag": nd.ones(2, dtype="bool")})
    whole = path.read_bytes()
    rng = random.Random(0)
    for _ in range(500):
        changed = bytearray(whole[: rng.choice([len(whole), rng.randrange(len(whole))])])
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        try:
            found = nd.load_frombuffer(bytes(changed))
        except OpforgeError:
            continue
        assert all(array.asnumpy().nbytes == array.nbytes for array in found.values())
