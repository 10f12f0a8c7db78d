"""Tests of record files: MXNet's format, keys, positions, pickling and processes."""

import multiprocessing
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opforge_image import recordio
from opforge_image.recordio.reading import scan_offsets

from opforge.base import MXNetError

MAGIC = struct.pack("<I", 0xCED7230A)
#: Records and the file that MXNet 1.9.1 wrote for them.
PAYLOADS = [
    b"",
    b"a",
    b"abcd",
    MAGIC,
    b"x" + MAGIC,
    b"abcd" + MAGIC + b"ef",
    MAGIC + b"abc" + MAGIC,
]
WRITTEN_BY_MXNET = bytes.fromhex(
    "0a23d7ce00000000 0a23d7ce0100000061000000 0a23d7ce0400000061626364"
    "0a23d7ce00000020 0a23d7ce00000060 0a23d7ce05000000780a23d7ce000000"
    "0a23d7ce0400002061626364 0a23d7ce0200006065660000"
    "0a23d7ce00000020 0a23d7ce070000606162630a23d7ce00"
)
#: Payloads with magic words at each alignment, often consecutive.
payloads = st.lists(
    st.lists(st.sampled_from([MAGIC, b"a", b"bcd", b"efgh", bytes(9)])).map(b"".join), max_size=8
)


def write(path: Path, records: list[bytes]) -> Path:
    """Write `records` to a file."""
    writer = recordio.MXRecordIO(path, "w")
    for record in records:
        writer.write(record)
    writer.close()
    return path


def read_all(path: Path) -> list[bytes]:
    """Return the records of a file."""
    reader = recordio.MXRecordIO(path, "r")
    return list(iter(reader.read, None))


def test_written_files_match_mxnet(tmp_path: Path) -> None:
    assert write(tmp_path / "a.rec", PAYLOADS).read_bytes() == WRITTEN_BY_MXNET


def test_mxnet_files_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.rec").write_bytes(WRITTEN_BY_MXNET)
    assert read_all(tmp_path / "a.rec") == PAYLOADS


@given(payloads)
def test_records_round_trip(tmp_path_factory: pytest.TempPathFactory, records: list[bytes]) -> None:
    path = write(tmp_path_factory.mktemp("records") / "a.rec", records)
    assert read_all(path) == records
    assert len(list(scan_offsets(path))) == len(records)


def test_records_larger_than_the_read_ahead(tmp_path: Path) -> None:
    records = [bytes([i]) * (i * 100_000) for i in range(8)]
    assert read_all(write(tmp_path / "a.rec", records)) == records


def test_end_returns_none_and_reset_restarts(tmp_path: Path) -> None:
    reader = recordio.MXRecordIO(write(tmp_path / "a.rec", [b"a", b"b"]), "r")
    assert [reader.read() for _ in range(4)] == [b"a", b"b", None, None]
    reader.reset()
    assert reader.read() == b"a"


def test_resetting_a_writer_truncates_the_file(tmp_path: Path) -> None:
    writer = recordio.MXRecordIO(tmp_path / "a.rec", "w")
    writer.write(b"abc")
    writer.reset()
    assert (tmp_path / "a.rec").read_bytes() == b"" and writer.tell() == 0


def test_each_record_is_written_immediately(tmp_path: Path) -> None:
    writer = recordio.MXRecordIO(tmp_path / "a.rec", "w")
    reader = recordio.MXRecordIO(tmp_path / "a.rec", "r")
    for i in range(3):
        writer.write(b"record %d" % i)
        assert reader.read() == b"record %d" % i
        assert reader.read() is None


@pytest.mark.parametrize("flag", ["", "rw", "a", None])
def test_other_flags_are_rejected(tmp_path: Path, flag: str) -> None:
    with pytest.raises(ValueError, match="expected 'r' or 'w'"):
        recordio.MXRecordIO(tmp_path / "a.rec", flag)


def test_wrong_direction_is_rejected(tmp_path: Path) -> None:
    writer = recordio.MXRecordIO(tmp_path / "a.rec", "w")
    with pytest.raises(AssertionError, match="for writing"):
        writer.read()
    reader = recordio.MXRecordIO(tmp_path / "a.rec", "r")
    with pytest.raises(AssertionError, match="for reading"):
        reader.write(b"")


def test_closed_files_raise(tmp_path: Path) -> None:
    reader = recordio.MXRecordIO(write(tmp_path / "a.rec", [b"a"]), "r")
    reader.close()
    reader.close()
    with pytest.raises(MXNetError, match="is closed"):
        reader.read()


def test_failed_write_leaves_the_file_unchanged(tmp_path: Path) -> None:
    writer = recordio.MXRecordIO(tmp_path / "a.rec", "w")
    writer.write(b"first")

    class FullAfterFive:
        """File on a disk with five free bytes."""

        def __init__(self, file: object) -> None:
            self.file, self.left = file, 5

        def write(self, data: memoryview) -> int:
            if not self.left:
                raise OSError(28, "No space left on device")
            self.left = 0
            return self.file.write(data[:5])

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

    whole = writer._file
    writer._file = FullAfterFive(whole)
    with pytest.raises(OSError, match="No space"):
        writer.write(b"second")
    writer._file = whole
    writer.write(b"third")
    assert read_all(tmp_path / "a.rec") == [b"first", b"third"]


def indexed(folder: Path, count: int = 5) -> recordio.MXIndexedRecordIO:
    """Return a reader of `count` records."""
    writer = recordio.MXIndexedRecordIO(folder / "a.idx", folder / "a.rec", "w")
    for i in range(count):
        writer.write_idx(i, b"record %d" % i)
    writer.close()
    return recordio.MXIndexedRecordIO(folder / "a.idx", folder / "a.rec", "r")


def test_random_access_by_key(tmp_path: Path) -> None:
    reader = indexed(tmp_path)
    assert reader.keys == list(range(5)) and list(reader.idx) == reader.keys
    assert [reader.read_idx(i) for i in (3, 0, 4)] == [b"record 3", b"record 0", b"record 4"]
    reader.seek(1)
    assert [reader.read(), reader.read()] == [b"record 1", b"record 2"]


def test_random_access_after_the_last_record(tmp_path: Path) -> None:
    reader = indexed(tmp_path, 2)
    while reader.read() is not None:
        pass
    assert reader.read_idx(0) == b"record 0"
    assert reader.read() == b"record 1"


def test_index_matches_mxnet(tmp_path: Path) -> None:
    indexed(tmp_path, 3)
    assert (tmp_path / "a.idx").read_text() == "0\t0\n1\t16\n2\t32\n"


def test_keys_of_another_type(tmp_path: Path) -> None:
    paths = tmp_path / "a.idx", tmp_path / "a.rec"
    writer = recordio.MXIndexedRecordIO(*paths, "w", key_type=str)
    writer.write_idx("cat", b"meow")
    assert writer.tell() == 12
    writer.close()
    assert recordio.MXIndexedRecordIO(*paths, "r", key_type=str).read_idx("cat") == b"meow"


def test_unknown_key_is_reported(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match=r"a\.idx has no key 7"):
        indexed(tmp_path).read_idx(7)


@pytest.mark.parametrize("line", ["no tab", "x\t0", "1\tx", "1", "\udc80\t1", "1\t" + "9" * 5000])
def test_malformed_index_lines_are_reported(tmp_path: Path, line: str) -> None:
    indexed(tmp_path)
    content = f"0\t0\n{line}\n".encode("utf-8", "surrogateescape")
    (tmp_path / "a.idx").write_bytes(content)
    with pytest.raises(MXNetError, match=r"line 2 of index .*a\.idx"):
        recordio.MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "r")


@pytest.mark.parametrize("offset", [-4, 2, 4, 10**6, 2**70])
def test_invalid_offsets_are_rejected(tmp_path: Path, offset: int) -> None:
    indexed(tmp_path)
    (tmp_path / "a.idx").write_text(f"0\t{offset}\n")
    reader = recordio.MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "r")
    with pytest.raises(MXNetError, match=str(offset)):
        reader.read_idx(0)


def test_pickled_reader_reopens_the_file(tmp_path: Path) -> None:
    reader = indexed(tmp_path)
    copy = pickle.loads(pickle.dumps(reader))
    assert copy.read_idx(2) == reader.read_idx(2) == b"record 2"
    reader.close()
    assert not pickle.loads(pickle.dumps(reader)).is_open


def test_writer_cannot_be_pickled(tmp_path: Path) -> None:
    writer = recordio.MXRecordIO(tmp_path / "a.rec", "w")
    with pytest.raises(TypeError, match="would truncate it"):
        pickle.dumps(writer)


def _in_child(reader: recordio.MXRecordIO, answers: multiprocessing.SimpleQueue) -> None:
    try:
        reader.read()
    except RuntimeError as error:
        answers.put(str(error))
    answers.put(reader.read_idx(1))


def test_forked_child_reads_by_key_only(tmp_path: Path) -> None:
    reader = indexed(tmp_path)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    child = context.Process(target=_in_child, args=(reader, answers))
    child.start()
    assert "was opened by process" in answers.get()
    assert answers.get() == b"record 1"
    child.join()
    assert reader.read() == b"record 0"


@given(
    st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=5)
    | st.floats(width=32, allow_nan=False),
    st.integers(0, 2**64 - 1),
    st.binary(max_size=9),
)
def test_headers_round_trip(label: object, number: int, content: bytes) -> None:
    header, rest = recordio.unpack(recordio.pack((1, label, number, 3), content))
    assert rest == content and (header.id, header.id2) == (number, 3)
    assert np.array_equal(header.label, np.float32(label))
    assert header.flag == (len(label) if isinstance(label, list) else 0)


def test_headers_match_mxnet() -> None:
    content = recordio.pack(recordio.IRHeader(5, [1, 2], 7, 9), b"content")
    assert content == bytes.fromhex(
        "02000000 00000000 0700000000000000 0900000000000000 0000803f 00000040 636f6e74656e74"
    )


@pytest.mark.parametrize("content", [b"", bytes(23), struct.pack("<IfQQ", 2**32 - 1, 0, 5, 0)])
def test_records_without_header_are_rejected(content: bytes) -> None:
    with pytest.raises(MXNetError, match=r"recordio\.unpack"):
        recordio.unpack(content)


@pytest.mark.parametrize("header", [(0, 1.0, -1, 0), (0, 1.0, 2**64, 0), (0, 1.0, "a", 0)])
def test_invalid_headers_are_rejected(header: tuple) -> None:
    with pytest.raises(MXNetError, match=r"recordio\.pack"):
        recordio.pack(header, b"")


@pytest.mark.parametrize(("img_fmt", "quality"), [(".png", 9), (".jpg", 100), (".JPEG", 95)])
def test_images_round_trip(img_fmt: str, quality: int) -> None:
    image = np.full((5, 7, 3), (10, 100, 200), np.uint8)
    header, decoded = recordio.unpack_img(
        recordio.pack_img((0, 2.0, 3, 0), image, quality=quality, img_fmt=img_fmt)
    )
    assert (header.label, header.id) == (2.0, 3)
    assert np.abs(decoded.astype(int) - image).max() <= 3
    assert recordio.unpack_img(recordio.pack_img((0, 2.0, 3, 0), image), 0)[1].shape == (5, 7)


@pytest.mark.parametrize("content", [b"", b"no image", bytes(100)])
def test_invalid_images_name_their_record(content: bytes) -> None:
    with pytest.raises(MXNetError, match="record 17"):
        recordio.unpack_img(recordio.pack((0, 1.0, 17, 0), content))


@pytest.mark.parametrize("img_fmt", [".none", "png", ""])
def test_unsupported_formats_are_rejected(img_fmt: str) -> None:
    with pytest.raises(MXNetError, match="failed to encode"):
        recordio.pack_img((0, 1.0, 1, 0), np.zeros((2, 2, 3), np.uint8), img_fmt=img_fmt)


def test_png_quality_is_clipped_silently(capfd):
    image = (np.arange(300) % 256).astype(np.uint8).reshape(10, 10, 3)
    default = recordio.pack_img((0, 1, 0, 0), image, img_fmt=".png")
    assert default == recordio.pack_img((0, 1, 0, 0), image, quality=9, img_fmt=".PNG")
    assert capfd.readouterr() == ("", "")
