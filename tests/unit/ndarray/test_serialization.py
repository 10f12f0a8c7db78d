import os
import pickle
import random
import re
import struct
import tempfile
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import engine, memory_stats, nd
from opforge.base.dtypes import NAMES
from opforge.base.errors import OpforgeError

LIST_HEADER = struct.pack("<QQQ", 0x112, 0, 1)
BODY = struct.pack("<iii", 1, 0, 0) + struct.pack("<2f", 1, 2)
NO_NAMES = struct.pack("<Q", 0)

# Written by MXNet 1.9.1: nd.save(f, {"a": nd.array([[1, 2, 3]], dtype="int8")})
FROM_MXNET = bytes.fromhex(
    "120100000000000000000000000000000100000000000000c9fa93f90000000002000000010000000000000003"
    "000000000000000100000000000000050000000102030100000000000000010000000000000061"
)

# nd.sparse.csr_matrix(([5.0, 7.0], [2, 0], [0, 1, 2]), shape=(2, 3)) in a list
CSR_FROM_MXNET = bytes.fromhex(
    "120100000000000000000000000000000100000000000000c9fa93f902000000010000000200000000000000"
    "0200000002000000000000000300000000000000010000000000000000000000060000000100000003000000"
    "00000000060000000100000002000000000000000000a0400000e04000000000000000000100000000000000"
    "0200000000000000020000000000000000000000000000000000000000000000"
)
# nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [1, 3]), shape=(5, 2)) as "b"
ROWS_FROM_MXNET = bytes.fromhex(
    "120100000000000000000000000000000100000000000000c9fa93f901000000020000000200000000000000"
    "0200000000000000020000000500000000000000020000000000000001000000000000000000000006000000"
    "0100000002000000000000000000803f00000040000040400000804001000000000000000300000000000000"
    "0100000000000000010000000000000062"
)
MALFORMED_CSR = CSR_FROM_MXNET[24:-24] + struct.pack("<qqq", 9, 0, 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "arrays.params"


@pytest.mark.parametrize("dtype", NAMES)
@pytest.mark.parametrize("shape", [(1,), (5,), (2, 3), (2, 1, 3, 2), (0,), (0, 3)])
def test_every_type_and_shape_comes_back(path, dtype, shape):
    values = (np.arange(np.prod(shape)).reshape(shape) % 3).astype(dtype)
    nd.save(path, [nd.array(values, dtype=dtype)])
    (loaded,) = nd.load(path)
    assert (loaded.shape, loaded.dtype) == (shape, values.dtype.type)
    np.testing.assert_array_equal(loaded.asnumpy(), values)


def test_dict_list_and_single_array(path):
    one, two = nd.array([1.0]), nd.array([[2, 3]], dtype="int64")
    nd.save(path, {"one": one, "zwölf": two})
    loaded = nd.load(str(path))
    assert list(loaded) == ["one", "zwölf"]
    assert loaded["zwölf"].asnumpy().tolist() == [[2, 3]]
    nd.save(path, (one, two))
    assert [array.shape for array in nd.load(path)] == [(1,), (1, 2)]
    nd.save(path, one)
    assert len(nd.load(path)) == 1
    nd.save(path, {})
    assert nd.load(path) == []


@pytest.mark.parametrize(
    ("content", "stype", "elements"),
    [
        (CSR_FROM_MXNET, "csr", [[0, 0, 5], [7, 0, 0]]),
        (ROWS_FROM_MXNET, "row_sparse", [[0, 0], [1, 2], [0, 0], [3, 4], [0, 0]]),
    ],
)
def test_sparse_arrays_of_mxnet_come_and_go_to_the_byte(path, content, stype, elements):
    path.write_bytes(content)
    found = nd.load(path)
    (array,) = found.values() if isinstance(found, dict) else found
    assert (array.stype, array.asnumpy().tolist()) == (stype, elements)
    nd.save(path, found)
    assert path.read_bytes() == content
    nd.save(path, found, wait=False).wait_to_read()
    assert path.read_bytes() == content


def test_special_values_keep_their_bits(path):
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], np.float32)
    nd.save(path, nd.array(values))
    assert nd.load(path)[0].asnumpy().tobytes() == values.tobytes()


def test_the_bytes_are_those_of_mxnet(path):
    nd.save(path, {"a": nd.array([[1, 2, 3]], dtype="int8")})
    assert path.read_bytes() == FROM_MXNET
    loaded = nd.load_frombuffer(FROM_MXNET)
    assert loaded["a"].dtype == np.int8
    assert loaded["a"].asnumpy().tolist() == [[1, 2, 3]]


V3 = struct.pack("<I", 0xF993FACA)


@pytest.mark.parametrize(
    "header",
    [
        struct.pack("<III", 2, 1, 2),
        struct.pack("<IIqq", 0xF993FAC8, 2, 1, 2),
        struct.pack("<Iiiqq", 0xF993FAC9, 0, 2, 1, 2),
        struct.pack("<Iiiqq", 0xF993FACA, 0, 2, 1, 2),
    ],
    ids=["before V1", "V1", "V2", "V3"],
)
def test_headers_of_every_age(header):
    for kind in (bytes, bytearray, memoryview):
        with mx.np_shape(header.startswith(V3)):
            (loaded,) = nd.load_frombuffer(kind(LIST_HEADER + header + BODY + NO_NAMES))
        assert loaded.asnumpy().tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("header", "shape"),
    [
        (struct.pack("<I", 0), (0,)),
        (struct.pack("<II", 0xF993FAC8, 0), (0,)),
        (struct.pack("<Iii", 0xF993FAC9, 0, 0), (0,)),
        (struct.pack("<Iii", 0xF993FACA, 0, -1), (0,)),
    ],
)
def test_arrays_without_a_value_are_empty(header, shape):
    with mx.np_shape(header.startswith(V3)):
        (loaded,) = nd.load_frombuffer(LIST_HEADER + header + NO_NAMES)
    assert loaded.shape == shape


def test_scalars_of_numpy_semantics_have_no_axes():
    scalar = struct.pack("<Iii", 0xF993FACA, 0, 0) + struct.pack("<iiif", 1, 0, 0, 7.0)
    with mx.np_shape(True):
        (loaded,) = nd.load_frombuffer(LIST_HEADER + scalar + NO_NAMES)
    assert (loaded.shape, loaded.asscalar()) == ((), 7.0)


@pytest.mark.parametrize("shape", [(2, 3), (0, 2), ()])
def test_files_of_numpy_semantics_are_loaded_in_them_alone(path, shape):
    with mx.np_shape(True):
        nd.save(path, [nd.array(np.zeros(shape))])
        assert path.read_bytes()[24:28] == V3
        assert nd.load(path)[0].shape == shape
    with pytest.raises(mx.MXNetError, match=r"saved in np shape semantics.*np_shape\(True\)"):
        nd.load(path)


@pytest.mark.plugins
def test_other_files_are_not_loaded_in_numpy_semantics(path):
    nd.save(path, [nd.empty((0, 2)), nd.ones((2,))])
    with mx.np_shape(True), pytest.raises(mx.MXNetError, match=r"not saved.*np_shape\(False\)"):
        nd.load(path)
    before = mx.set_np_shape(2)  # in all threads: older files are loaded then, as in MXNet
    try:
        assert [x.shape for x in nd.load(path)] == [(0, 2), (2,)]
    finally:
        mx.set_np_shape(before)


def test_save_rejects_unsupported_arrays(path):
    with pytest.raises(mx.MXNetError, match=r"shape \(\).*np_shape\(True\)"):
        nd.save(path, [nd.array(1)])
    with mx.np_shape(True), pytest.raises(mx.MXNetError, match="of default storage type"):
        nd.save(path, [nd.ones((2, 2)).tostype("csr")])
    assert not path.exists()


def test_arrays_of_a_gpu_load_on_the_cpu():
    on_gpu = struct.pack("<Iiiq", 0xF993FAC9, 0, 1, 1) + struct.pack("<iiif", 2, 3, 0, 7.0)
    (loaded,) = nd.load_frombuffer(LIST_HEADER + on_gpu + NO_NAMES)
    assert loaded.context == nd.zeros((1,)).context


def test_any_nonzero_byte_of_a_bool_is_true():
    array = struct.pack("<Iiiq", 0xF993FAC9, 0, 1, 3) + struct.pack("<iii3B", 1, 0, 7, 0, 1, 255)
    (loaded,) = nd.load_frombuffer(LIST_HEADER + array + NO_NAMES)
    assert loaded.asnumpy().tobytes() == b"\0\1\1"


V2 = struct.pack("<Ii", 0xF993FAC9, 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "got 0 bytes, expected at least 24"),
        (b"PK\3\4" * 10, "starts with 0x4034b5004034b50, expected 0x112"),
        (pickle.dumps(print) + bytes(40), "starts with .* expected 0x112"),
        (
            struct.pack("<QQQ", 0x112, 0, 2**63),
            "count of 9223372036854775808, expected at most 0 in 0 bytes",
        ),
        (LIST_HEADER + struct.pack("<I", 1000), "got 0x3e8, expected a known header"),
        (LIST_HEADER + V2 + struct.pack("<i", 10**6), "expected a known header or 0 to 32"),
        (LIST_HEADER + V2 + struct.pack("<i", -5), "expected a known header or 0 to 32"),
        (
            LIST_HEADER + V2 + struct.pack("<iq", 1, -3) + BODY,
            r"got shape \(-3,\), expected no negative",
        ),
        (LIST_HEADER + V2 + struct.pack("<iqq", 2, 2**40, 2**40) + BODY, "got shape"),
        (LIST_HEADER + V2 + struct.pack("<iqq", 2, 0, 2**62) + BODY, "expected at most"),
        (
            LIST_HEADER + V2 + struct.pack("<iq", 1, 2**30) + BODY,
            "got 8 bytes, expected 4294967296",
        ),
        (
            LIST_HEADER + V2 + struct.pack("<iqiii", 1, 1, 1, 0, 13),
            "got dtype code 13, expected one of",
        ),
        (
            LIST_HEADER + V2 + struct.pack("<iqiii", 1, 1, 1, 0, -1),
            "got dtype code -1, expected one of",
        ),
        (LIST_HEADER + struct.pack("<Ii", 0xF993FAC9, 9), "got storage type 9, expected one of"),
        (LIST_HEADER + MALFORMED_CSR, "the index 9 is out of range, expected 0 to 2"),
        (CSR_FROM_MXNET[:-9], "got 15 bytes, expected 16"),
        (FROM_MXNET[:-9] + struct.pack("<Q", 2**62), "got 0 bytes, expected 4611686018427387904"),
        (FROM_MXNET[:-1] + b"\xff", "not UTF-8"),
        (FROM_MXNET + b"more", "got 4 bytes after its end"),
        (FROM_MXNET[:-17] + struct.pack("<QQsQs", 2, 1, b"a", 1, b"b"), "2 different names"),
    ],
)
def test_a_damaged_file_is_rejected(path, content, message):
    path.write_bytes(content)
    with pytest.raises(OpforgeError, match=message) as caught:
        nd.load(path)
    assert str(path) in str(caught.value)
    assert re.search(r"at byte \d+: got|it starts with", str(caught.value))
    with pytest.raises(OpforgeError, match="buffer"):
        nd.load_frombuffer(content)


def test_every_truncation_is_rejected():
    for end in range(len(FROM_MXNET)):
        with pytest.raises(OpforgeError, match=r"nd\.load: buffer"):
            nd.load_frombuffer(FROM_MXNET[:end])


def test_random_damage_loads_or_raises_and_allocates_little():
    rng = random.Random(0)
    tracemalloc.start()
    try:
        for _ in range(3000):
            content = bytearray(FROM_MXNET)
            for _ in range(rng.randint(1, 4)):
                content[rng.randrange(len(content))] = rng.randrange(256)
            try:
                nd.load_frombuffer(bytes(content))
            except OpforgeError as error:
                assert "nd.load" in str(error)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def saved(dtype, named):
    values = np.arange(6).reshape(2, 3).astype(dtype)
    arrays = [nd.array(values, dtype=dtype), nd.zeros((0, 2), dtype=dtype), nd.ones((1,))]
    with tempfile.TemporaryDirectory() as folder:
        nd.save(f"{folder}/a", dict(zip("abc", arrays, strict=True)) if named else arrays)
        return Path(folder, "a").read_bytes()


FILES = [saved(dtype, named) for dtype in NAMES for named in (False, True)]
EXTREMES = [0, 1, 0x112, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63, 2**64 - 1]
EDITS = st.one_of(
    st.tuples(st.just("flip"), st.integers(0, 8 * 400), st.just(0)),
    st.tuples(st.just("cut"), st.integers(0, 400), st.just(0)),
    st.tuples(st.just("put"), st.integers(0, 400), st.sampled_from(EXTREMES)),
    st.tuples(st.just("storage"), st.integers(0, 2), st.integers(0, 3)),
    st.tuples(st.just("append"), st.integers(0, 400), st.just(0)),
)


def edited(content, edits):
    for kind, place, value in edits:
        if kind == "cut":
            content = content[:place]
        elif kind == "append":
            content = content + content[place:]
        elif kind == "flip" and content:
            at = place % (8 * len(content))
            content = bytearray(content)
            content[at // 8] ^= 1 << at % 8
        elif kind == "put":
            content = content[:place] + struct.pack("<Q", value) + content[place + 8 :]
        elif kind == "storage":
            starts = [m.start() for m in re.finditer(re.escape(V2[:4]), bytes(content))]
            if place < len(starts):
                at = starts[place] + 4
                content = content[:at] + struct.pack("<i", value) + content[at + 4 :]
        content = bytes(content)
    return content


@given(st.sampled_from(FILES), st.lists(EDITS, min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
@pytest.mark.usefixtures("no_collector")
def test_edited_files_load_or_raise(content, edits):
    damaged = edited(content, edits)
    before, array = memory_stats(), None
    try:
        loaded = nd.load_frombuffer(damaged)
    except OpforgeError as error:
        assert re.match(r"nd\.load: buffer .*, at byte \d+: ", str(error))
    else:
        for array in loaded.values() if isinstance(loaded, dict) else loaded:
            assert array.asnumpy().shape == array.shape
        del loaded, array
    after = memory_stats()
    assert after["live_bytes"] == before["live_bytes"]
    kept = after["pool_bytes"] - before["pool_bytes"]
    assert kept <= 64 * (len(damaged) + 10)  # blocks of the smallest class


def test_a_size_beyond_the_file_is_rejected_before_memory_is_taken():
    peak = memory_stats()["peak_bytes"]
    header = LIST_HEADER + V2 + struct.pack("<iq", 1, 2**34)
    with pytest.raises(OpforgeError, match="got 8 bytes, expected 68719476736"):
        nd.load_frombuffer(header + BODY)
    assert memory_stats()["peak_bytes"] == peak


def test_a_file_that_shrinks_while_it_is_read(path, monkeypatch):
    nd.save(path, nd.ones((100_000,)))
    status = os.stat(path)
    os.truncate(path, 4096)
    monkeypatch.setattr(os, "fstat", lambda _: status)
    with pytest.raises(OpforgeError, match="truncated while read"):
        nd.load(path)


def test_loading_from_a_pipe(path):
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(FROM_MXNET,))
    writer.start()
    assert nd.load(path)["a"].asnumpy().tolist() == [[1, 2, 3]]
    writer.join()


def test_a_missing_file(path):
    with pytest.raises(FileNotFoundError):
        nd.load(path)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (3, ValueError, "got int"),
        ([1], TypeError, "item 0 is int"),
        ({"a": 1}, TypeError, "item 'a' is int"),
        ({1: nd.ones((1,))}, TypeError, "keys must be str, got 1"),
    ],
)
def test_save_rejects_other_objects(path, data, error, message):
    with pytest.raises(error, match=message):
        nd.save(path, data)
    assert not path.exists()


def test_a_failed_save_leaves_the_former_file(path, monkeypatch):
    nd.save(path, nd.array([1.0]))
    before = path.read_bytes()

    def fail(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        nd.save(path, nd.array([2.0]))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_link_stays_a_link(path):
    target = path.with_name("target")
    target.write_bytes(b"old")
    path.symlink_to(target)
    nd.save(path, nd.array([3.0]))
    assert path.is_symlink()
    assert nd.load(target)[0].asscalar() == 3.0


def test_saving_to_a_pipe(path):
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    nd.save(path, nd.array([4.0]))
    content = os.read(reader, 4096)
    os.close(reader)
    assert nd.load_frombuffer(content)[0].asscalar() == 4.0


def test_background_saves_write_the_values_at_the_call(path):
    x = nd.array([1.0, 2.0])
    written = nd.save(path, {"x": x}, wait=False)
    x[:] = 0
    written.wait_to_read()
    assert nd.load(path)["x"].asnumpy().tolist() == [1, 2]


def test_later_saves_and_loads_of_a_file_come_after_it(path):
    gate = threading.Event()
    engine.push(gate.wait, write=[engine.Var()])
    for i in range(5):
        nd.save(path, [nd.full((2,), i)], wait=False)
    gate.set()
    assert nd.load(path)[0].asnumpy().tolist() == [4, 4]
    nd.save(path, [nd.full((2,), 6)], wait=False)
    nd.save(path, [nd.full((2,), 7)])
    assert nd.load(path)[0].asnumpy().tolist() == [7, 7]


@pytest.mark.parametrize("wait", ["handle", "waitall", "save", "load"])
def test_background_errors_are_raised_at_waits(tmp_path, wait):
    path = tmp_path / "missing" / "arrays.params"
    written = nd.save(path, [nd.ones((2,))], wait=False)
    waits = {
        "handle": written.wait_to_read,
        "waitall": nd.waitall,
        "save": lambda: nd.save(path, [nd.ones((2,))]),
        "load": lambda: nd.load(path),
    }
    with pytest.raises(FileNotFoundError, match="part") as caught:
        waits[wait]()
    assert any("pushed at" in note for note in caught.value.__notes__)
