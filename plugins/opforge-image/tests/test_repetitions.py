"""Tests that record iterators do not leak when they run long, are reset or are dropped.

``--stress 20`` makes 10,000 batches, 1,000 resets and 400 dropped iterators of each kind.
"""

import gc
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opforge_image import recordio

import opforge as mx

#: Allowed growth of memory in bytes, for arenas of threads, independent of the number of batches.
_ROOM = 24 << 20
_BY_CHANCE = {
    "ImageRecordIter": {
        "label_width": 7,
        "rand_crop": True,
        "rand_mirror": True,
        "random_l": 9,
        "brightness": 0.2,
        "pca_noise": 0.1,
    },
    "ImageDetRecordIter": {
        "rand_crop_prob": 0.5,
        "min_crop_scales": 0.3,
        "rand_pad_prob": 0.5,
        "max_pad_scale": 2,
        "random_hue_prob": 0.5,
        "max_random_hue": 9,
    },
}


@pytest.fixture(params=list(_BY_CHANCE))
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Any]:
    """Return a function that creates an iterator over 32 small images."""
    record = recordio.MXRecordIO(tmp_path / "a.rec", "w")
    drawn = np.random.default_rng(0)
    for i in range(32):
        image = drawn.integers(0, 255, (12, 14, 3)).astype(np.uint8)
        header = (0, [2, 5, 1, 0.1, 0.1, 0.6, 0.7], i, 0)
        record.write(recordio.pack_img(header, image, quality=1, img_fmt=".png"))
    record.close()
    settings = {"path_imgrec": tmp_path / "a.rec", "data_shape": (3, 9, 9), "batch_size": 4}

    def made() -> Any:
        return getattr(mx.io, request.param)(**settings, **_BY_CHANCE[request.param])

    return made


def _memory() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith("VmRSS"))
    return int(line.split()[1]) << 10


def _files() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def _workers() -> set[threading.Thread]:
    return {each for each in threading.enumerate() if each.name.startswith("opforge-record-iter")}


def _run(batches: Any, count: int) -> None:
    seen = 0
    while seen < count:
        seen += sum(1 for _ in batches)
        batches.reset()


def test_batches_and_resets_do_not_leak(make: Callable[[], Any], stress: int) -> None:
    others = _workers()
    batches = make()
    _run(batches, 200)
    memory, files = _memory(), _files()
    _run(batches, 500 * stress)
    for _ in range(50 * stress):
        batches.reset()
        batches.next()
    assert _memory() - memory < _ROOM
    assert _files() <= files
    assert len(_workers() - others) <= min(4, len(os.sched_getaffinity(0)))
    batches.close()
    assert _workers() <= others


def test_dropped_iterators_release_everything(make: Callable[[], Any], stress: int) -> None:
    make().close()
    others = _workers()
    files, memory = _files(), _memory()
    for number in range(20 * stress):
        batches = make()
        for _ in range(number % 4):
            batches.next()
        if number % 5 == 0:
            batches.close()
        del batches
    gc.collect()
    for worker in _workers() - others:
        worker.join(120)
    assert _workers() <= others
    assert _files() <= files
    assert _memory() - memory < _ROOM
