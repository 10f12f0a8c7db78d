"""Creation of record files from lists, with threads that read, transform and encode images."""

from argparse import Namespace
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from tqdm import tqdm

from opforge.plugin_api import OpforgeError

from ..codec import decode_as
from ..geometry import center_window, crop, shorter_side_size
from ..lists import check_entry, path_below, read_list
from ..recordio import MXIndexedRecordIO, pack, pack_img

__all__ = ["pack_list"]

Item = TypeVar("Item")
Result = TypeVar("Result")
_REMEDY = "pass --allow-outside-root"
Line = tuple[int, list[float], str]


def pack_list(path: Path, root: Path, options: Namespace) -> tuple[int, list[str]]:
    """Write the record file and the index of a list next to it.

    Parameters
    ----------
    path : pathlib.Path
        The list.
    root : pathlib.Path
        Folder that its paths are relative to.
    options : argparse.Namespace

    Returns
    -------
    int, list of str
        Number of images written, and the reasons why others were skipped.

    Raises
    ------
    OpforgeError
        A line is damaged, or its path leaves `root`; no file was created.
    """
    lines = list(read_list(path))
    if not options.allow_outside_root:
        for _, _, name in lines:
            check_entry(root, name, _REMEDY)
    written, skipped = 0, []
    record = MXIndexedRecordIO(path.with_suffix(".idx"), path.with_suffix(".rec"), "w")
    try:
        results = _map_in_order(
            partial(_pack, root=root, options=options), lines, options.num_thread
        )
        for line, content in tqdm(results, total=len(lines), desc=path.stem, unit="image"):
            if isinstance(content, str):
                skipped.append(content)
            else:
                record.write_idx(line[0], content)
                written += 1
    finally:
        record.close()
    return written, skipped


def _pack(line: Line, root: Path, options: Namespace) -> bytes | str:
    """Return the record of an image, or the reason why it is skipped."""
    number, labels, name = line
    header = (0, labels if len(labels) > 1 and options.pack_label else labels[0], number, 0)
    try:
        allowed = options.allow_outside_root
        path = root / name if allowed else path_below(root, name, _REMEDY)
        content = np.fromfile(path, np.uint8)
        if options.pass_through:
            return pack(header, content.tobytes())
        image = _transform(decode_as(content, options.color, name), options)
        return pack_img(header, image, options.quality, options.encoding)
    except (OSError, OpforgeError) as error:
        return f"{name}: {error}"


def _transform(image: np.ndarray, options: Namespace) -> np.ndarray:
    if options.center_crop:
        height, width = image.shape[:2]
        edge = min(height, width)
        image = crop(image, *center_window(height, width, edge, edge), edge, edge)
    if options.resize > 0:
        height, width = shorter_side_size(image.shape, options.resize)
        image = cv2.resize(image, (width, height))
    return image


def _map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[tuple[Item, Result]]:
    """Yield items with their results from `function`, computed ahead by threads within a bound."""
    pending: deque[tuple[Item, Future[Result]]] = deque()
    with ThreadPoolExecutor(max(1, threads), "im2rec") as executor:
        for item in items:
            pending.append((item, executor.submit(function, item)))
            if len(pending) > 4 * threads:
                first, future = pending.popleft()
                yield first, future.result()
        while pending:
            first, future = pending.popleft()
            yield first, future.result()
