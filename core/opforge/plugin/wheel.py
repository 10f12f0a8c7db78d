"""Wheels read as what they are, archives: metadata and entry points, without running anything."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

from ..base.errors import PluginError

__all__ = ["open_wheel"]


@contextmanager
def open_wheel(path: str | Path) -> Iterator[Distribution]:
    """Open a wheel; what it says is read inside the block.

    Parameters
    ----------
    path : str or path

    Raises
    ------
    PluginError
        It is no wheel.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise PluginError(f"{path} is no wheel: {error}") from error
    with archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
        folders = sorted(top for top in tops if top.endswith(".dist-info"))
        if len(folders) != 1:
            found = ", ".join(folders) or "none"
            raise PluginError(f"{path} is no wheel: it has to have one .dist-info, found {found}")
        yield PathDistribution(zipfile.Path(archive, f"{folders[0]}/"))
