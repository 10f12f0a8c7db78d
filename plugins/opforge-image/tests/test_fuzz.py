"""Tests with damaged images, record files and index files: intact data is read or an error raised.

``--stress 100`` damages 30,000 images of each format, and 10,000 files of records and of indices.
"""

import warnings
from pathlib import Path

import cv2
import numpy as np
import pytest
from opforge_image.codec import PIXELS_VARIABLE
from opforge_image.recordio import (
    DamagedRecordError,
    MXIndexedRecordIO,
    MXRecordIO,
    pack_img,
)

import opforge as mx
from opforge.base.errors import OpforgeError

COARSE = np.random.default_rng(0).integers(0, 256, (5, 6, 3), dtype=np.uint8)
#: View of a larger array: OpenCV reads one byte beyond the image when it writes a Sun raster.
BYTES = cv2.resize(COARSE, (31, 24))[:23]
FORMATS = (".png", ".jpg", ".webp", ".bmp", ".tiff", ".gif", ".ppm", ".hdr", ".ras", ".pam")
#: Extreme byte values, which make sizes and lengths extreme.
EXTREMES = (0, 1, 127, 128, 255)
MOST_PIXELS = 1 << 20
RECORDS = 8


def damaged(rng, content, header=64):
    """Return bytes with changes, deletions and insertions, mostly near the beginning."""
    changed = bytearray(content)
    for _ in range(rng.integers(0, 5)):
        at = rng.integers(len(content) if rng.random() < 0.5 else min(header, len(content)))
        changed[at] = rng.choice([*EXTREMES, rng.integers(256)])
    if rng.random() < 0.3:
        del changed[rng.integers(0, len(content)) :]
    if rng.random() < 0.1:
        at = rng.integers(0, len(changed) + 1)
        changed[at:at] = rng.bytes(rng.integers(1, 20))
    return bytes(changed)


def encoded(kind):
    """Return an encoded image, or skip the test if OpenCV cannot write the format."""
    try:
        return cv2.imencode(kind, BYTES)[1].tobytes()
    except cv2.error:
        pytest.skip(f"this OpenCV writes no {kind}")


@pytest.fixture(autouse=True)
def few_pixels(monkeypatch):
    monkeypatch.setenv(PIXELS_VARIABLE, str(MOST_PIXELS))


@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_images(kind, stress):
    file, read = encoded(kind), 0
    for number in range(300 * stress):
        try:
            out = mx.image.imdecode(damaged(np.random.default_rng(number), file))
        except OpforgeError:
            continue
        assert out.dtype == np.uint8
        assert out.shape[0] * out.shape[1] <= MOST_PIXELS
        read += 1
    assert 0 < read < 300 * stress


def write_records(folder: Path) -> dict[bytes, float]:
    """Write images labeled by their number, with an index; return the number of each record."""
    record = MXIndexedRecordIO(folder / "a.idx", folder / "a.rec", "w")
    written = {
        pack_img((0, float(number), number, 0), BYTES, img_fmt=".png"): float(number)
        for number in range(RECORDS)
    }
    for content, number in written.items():
        record.write_idx(int(number), content)
    record.close()
    return written


def whole_records(path: Path, written: dict[bytes, float]) -> set[float]:
    """Return the numbers of the intact records."""
    reader, found = MXRecordIO(path, "r"), set()
    while True:
        try:
            record = reader.read()
        except DamagedRecordError:
            continue
        if record is None:
            reader.close()
            return found & set(written.values())
        found.add(written.get(record))


def seen_records(path: Path) -> set[float]:
    """Return the labels of an epoch, continuing after errors."""
    seen = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # skipped records
        batches = mx.io.ImageRecordIter(path_imgrec=path, data_shape=(3, 9, 9), batch_size=3)
        while True:
            try:
                batch = batches.next()
            except StopIteration:
                batches.close()
                return seen
            except OpforgeError:
                continue
            labels = batch.label[0].asnumpy().ravel()
            seen.update(labels[: len(labels) - batch.pad].tolist())


def test_damaged_record_files(tmp_path, stress):
    written = write_records(tmp_path)
    content, path = (tmp_path / "a.rec").read_bytes(), tmp_path / "b.rec"
    for number in range(30 * stress):
        path.write_bytes(damaged(np.random.default_rng(number), content, len(content)))
        whole = whole_records(path, written)
        try:
            seen = seen_records(path)
        except OpforgeError:  # no records
            assert not whole
        else:
            assert whole <= seen


def test_damaged_index_files(tmp_path, stress):
    written = write_records(tmp_path)
    content = (tmp_path / "a.idx").read_bytes()
    for number in range(100 * stress):
        (tmp_path / "a.idx").write_bytes(damaged(np.random.default_rng(number), content))
        try:
            record = MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "r")
        except OpforgeError:  # malformed line
            continue
        for key in record.keys:
            try:
                assert record.read_idx(key) in written
            except OpforgeError:
                continue
        record.close()
