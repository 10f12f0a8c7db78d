"""Metadata and entry points of wheels, read from the archive without running code."""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

from ..base.errors import PluginError

__all__ = ["open_wheel"]

#: Metadata files that are read, and a size far above that of any valid one.
_READ = ("METADATA", "RECORD", "WHEEL", "entry_points.txt")
_MOST_BYTES = 16 << 20


@contextmanager
def open_wheel(path: str | Path) -> Iterator[Distribution]:
    """Open a wheel; its metadata can be read inside the block.

    Parameters
    ----------
    path : str or path

    Raises
    ------
    PluginError
        The file is not a valid wheel.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise PluginError(f"{path} is not a wheel: {error}") from error
    with archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
        folders = sorted(top for top in tops if top.endswith(".dist-info"))
        if len(folders) != 1:
            found = ", ".join(folders) or "none"
            raise PluginError(f"{path} is not a wheel: expected one .dist-info, found {found}")
        for member in archive.infolist():
            if member.filename.startswith(f"{folders[0]}/"):
                _check_member(archive, member)
        yield PathDistribution(zipfile.Path(archive, f"{folders[0]}/"))


def _check_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Reject metadata that is too large or cannot be read."""
    name = member.filename.rpartition("/")[2]
    if name not in _READ:
        return
    # Reading stops at the stated size, whatever the compressed data contains.
    if member.file_size > _MOST_BYTES:
        raise PluginError(
            f"{archive.filename}: {name} has {member.file_size} bytes, expected at most "
            f"{_MOST_BYTES}"
        )
    try:
        archive.read(member)
    # An encrypted file or an unknown compression is a RuntimeError.
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise PluginError(f"{archive.filename}: {name} cannot be read: {error}") from error
