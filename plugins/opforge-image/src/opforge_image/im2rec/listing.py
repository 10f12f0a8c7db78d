"""Creation of image lists: lines of number, label and path, separated by tabs."""

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from opforge.plugin_api import OpforgeError

__all__ = ["ListEntry", "images_in", "write_lists"]

#: Seed of MXNet's im2rec.
_SEED = 100


class ListEntry(NamedTuple):
    """Line of a list."""

    number: int
    path: str
    label: float


def images_in(root: Path, suffixes: Sequence[str], recursive: bool) -> Iterator[ListEntry]:
    """Yield the images in a folder; with `recursive`, each subfolder is a label.

    Parameters
    ----------
    root : pathlib.Path
    suffixes : sequence of str
        Suffixes in lower case.
    recursive : bool
    """
    labels: dict[str, int] = {}
    number = 0
    for folder, inner, files in os.walk(root, followlinks=recursive):
        inner.sort()
        for name in sorted(files):
            if os.path.splitext(name)[1].lower() in suffixes:
                path = os.path.relpath(os.path.join(folder, name), root)
                yield ListEntry(number, path, labels.setdefault(folder, len(labels)))
                number += 1
        if not recursive:
            return


def write_lists(
    prefix: Path,
    images: list[ListEntry],
    *,
    chunks: int,
    train_ratio: float,
    test_ratio: float,
    shuffle: bool,
) -> list[Path]:
    """Write the lists of images and return their paths.

    Raises
    ------
    OpforgeError
        A share or the number of lists is invalid, or a path cannot be written to a list.
    """
    if chunks < 1 or min(train_ratio, test_ratio) < 0 or train_ratio + test_ratio > 1:
        raise OpforgeError(
            f"im2rec: got --chunks {chunks}, --train-ratio {train_ratio} and --test-ratio "
            f"{test_ratio}; expected at least one list, and shares whose sum is at most 1"
        )
    if shuffle:
        images = images.copy()
        random.Random(_SEED).shuffle(images)
    size = -(-len(images) // chunks)
    written = []
    for i in range(chunks):
        chunk = images[i * size : (i + 1) * size]
        stem = f"{prefix}_{i}" if chunks > 1 else str(prefix)
        for suffix, part in _parts(chunk, train_ratio, test_ratio):
            written.append(Path(f"{stem}{suffix}.lst"))
            written[-1].write_text("".join(map(_line, part)), encoding="utf-8")
    return written


def _parts(
    images: list[ListEntry], train_ratio: float, test_ratio: float
) -> Iterator[tuple[str, list[ListEntry]]]:
    if train_ratio == 1:
        yield "", images
        return
    test, train = (int(len(images) * ratio) for ratio in (test_ratio, train_ratio))
    if test_ratio:
        yield "_test", images[:test]
    if train_ratio + test_ratio < 1:
        yield "_val", images[test + train :]
        yield "_train", images[test : test + train]
    else:
        yield "_train", images[test:]


def _line(image: ListEntry) -> str:
    if not image.path.isprintable():
        raise OpforgeError(
            f"im2rec: the name {image.path!r} has tabs, line breaks or other unprintable "
            "characters, which lists cannot hold; rename the file"
        )
    return f"{image.number}\t{image.label:f}\t{image.path}\n"
