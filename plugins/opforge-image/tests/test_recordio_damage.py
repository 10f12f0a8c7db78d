"""Tests of damaged record files: damage is reported, and no other record is lost.

``--stress 100`` tries 10,000 files of any bytes, and as many changed bytes.
"""

import os
import pickle
import struct
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_image.recordio import DamagedRecordError, MXRecordIO
from opforge_image.recordio.reading import RecordFile, scan_offsets

MAGIC = struct.pack("<I", 0xCED7230A)
RECORDS = [bytes([65 + i]) * (4 * i + 3) for i in range(6)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file of `RECORDS`, the third of which holds a magic word."""
    writer = MXRecordIO(tmp_path / "a.rec", "w")
    for i, record in enumerate(RECORDS):
        writer.write(b"head" + MAGIC + record if i == 2 else record)
    writer.close()
    return tmp_path / "a.rec"


def read_all(path: Path) -> tuple[list[bytes], list[DamagedRecordError]]:
    """Return the readable records of a file and the errors of the others."""
    reader, records, errors = MXRecordIO(path, "r"), [], []
    while True:
        try:
            record = reader.read()
        except DamagedRecordError as error:
            errors.append(error)
            continue
        if record is None:
            return records, errors
        records.append(record)


def damage(path: Path, offset: int, new: bytes) -> None:
    """Overwrite bytes of a file."""
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(new)


@pytest.mark.parametrize("length", [0, 1, 4, 8, 100, 2**29 - 1])
def test_wrong_length_loses_one_record(path: Path, length: int) -> None:
    whole, _ = read_all(path)
    begin = list(scan_offsets(path))[3]
    damage(path, begin + 4, struct.pack("<I", length))
    records, errors = read_all(path)
    kept = [record for record in records if record in whole]
    assert kept == whole[:3] + whole[4:]
    assert errors and errors[0].offset >= begin and str(path) in str(errors[0])


@pytest.mark.parametrize("new", [bytes(4), b"junk", MAGIC + b"\xff" * 4])
def test_wrong_head_loses_one_record(path: Path, new: bytes) -> None:
    whole, _ = read_all(path)
    begin = list(scan_offsets(path))[3]
    damage(path, begin, new)
    records, errors = read_all(path)
    assert records == whole[:3] + whole[4:]
    assert [error.offset for error in errors] == [begin]


@pytest.mark.parametrize("frame", [0, 1])
def test_damaged_split_record_loses_one_record(path: Path, frame: int) -> None:
    whole, _ = read_all(path)
    begin = list(scan_offsets(path))[2]
    damage(path, begin + 12 * frame, b"junk")
    records, errors = read_all(path)
    assert records == whole[:2] + whole[3:]
    assert errors


def test_truncated_file_loses_the_last_record(path: Path) -> None:
    whole, _ = read_all(path)
    content = path.read_bytes()
    last = list(scan_offsets(path))[-1]
    for end in range(last + 1, len(content)):
        path.write_bytes(content[:end])
        records, errors = read_all(path)
        # The payload may be complete and only the padding missing.
        assert records == whole[:-1]
        assert [error.offset for error in errors] == [last]


def test_allocation_is_bounded_by_the_file(path: Path, monkeypatch) -> None:
    damage(path, 4, struct.pack("<I", 2**29 - 1))
    asked, pread = [], os.pread
    monkeypatch.setattr(
        os, "pread", lambda fd, count, offset: asked.append(count) or pread(fd, count, offset)
    )
    with (
        closing(RecordFile(path)) as file,
        pytest.raises(DamagedRecordError, match="exceeds the file"),
    ):
        file.record(0)
    assert max(asked) <= path.stat().st_size


def test_damage_can_be_pickled(path: Path) -> None:
    error = pickle.loads(pickle.dumps(DamagedRecordError("what", 4, 8)))
    assert (str(error), error.offset, error.resume) == ("what", 4, 8)


def test_any_bytes_are_read_or_reported(tmp_path: Path, stress: int) -> None:
    path = tmp_path / "a.rec"

    @settings(max_examples=100 * stress)
    @given(st.binary(max_size=200), st.lists(st.integers(0, 60), max_size=8))
    def check(content: bytes, cuts: list[int]) -> None:
        for cut in cuts:
            content = content[: 4 * cut] + MAGIC + content[4 * cut :]
        path.write_bytes(content)
        records, errors = read_all(path)
        assert sum(map(len, records)) <= len(content)
        assert len(records) + len(errors) <= len(content) + 1
        assert all(0 <= offset < len(content) for offset in scan_offsets(path))

    check()


def test_changed_byte_loses_at_most_one_record(path: Path, stress: int) -> None:
    whole, _ = read_all(path)
    content = path.read_bytes()

    @settings(max_examples=100 * stress)
    @given(st.integers(0, len(content) - 1), st.integers(0, 255))
    def check(position: int, byte: int) -> None:
        path.write_bytes(content)
        damage(path, position, bytes([byte]))
        records, _ = read_all(path)
        assert sum(record in whole for record in records) >= len(whole) - 1

    check()
