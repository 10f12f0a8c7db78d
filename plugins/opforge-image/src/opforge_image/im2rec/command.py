"""Implementation of the command `im2rec`."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from opforge.plugin_api import OpforgeError

from .arguments import parser
from .listing import images_in, write_lists
from .packing import pack_list

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, or 1 if nothing was written.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: the arguments of the command line.
    """
    options = parser().parse_args(arguments)
    prefix, root = Path(options.prefix).absolute(), Path(options.root).absolute()
    try:
        return _list(prefix, root, options) if options.list else _pack(prefix, root, options)
    except (OSError, OpforgeError) as error:
        return _fail(str(error))


def _list(prefix: Path, root: Path, options: Namespace) -> int:
    if not root.is_dir():
        return _fail(f"im2rec: {root} is not a folder")
    suffixes = [suffix.lower() for suffix in options.exts]
    images = list(images_in(root, suffixes, options.recursive))
    if not images:
        return _fail(f"im2rec: {root} has no files whose names end with {' '.join(suffixes)}")
    written = write_lists(
        prefix,
        images,
        chunks=options.chunks,
        train_ratio=options.train_ratio,
        test_ratio=options.test_ratio,
        shuffle=options.shuffle,
    )
    labels = {image.label: str(Path(image.path).parent) for image in images}
    for label, folder in labels.items():
        print(folder, label)
    for path in written:
        print(path)
    return 0


def _pack(prefix: Path, root: Path, options: Namespace) -> int:
    lists = sorted(
        path
        for path in prefix.parent.iterdir()
        if path.suffix == ".lst" and path.name.startswith(prefix.name)
    )
    if not lists:
        return _fail(f"im2rec: no list {prefix}*.lst found; create one with im2rec --list")
    total = 0
    for path in lists:
        written, skipped = pack_list(path, root, options)
        for reason in skipped:
            print(f"skipped: {reason}", file=sys.stderr)
        print(f"{path.with_suffix('.rec')}: {written} images, {len(skipped)} skipped")
        total += written
    return 0 if total else _fail("im2rec: no image was written")


def _fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 1
