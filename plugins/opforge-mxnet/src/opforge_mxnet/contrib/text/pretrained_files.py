"""Pretrained embedding files: their location, download and extraction.

They are read from a local folder, ``root/embedding/file``, or extracted from an archive there.
Files are downloaded only on request, because some are several gigabytes in size.
"""

import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from opforge.base.errors import MissingFileError, OpforgeError
from opforge.base.files import replacing
from opforge.base.spelling import close_names
from opforge.base.unpacking import copy_unpacked, open_tar, unpack_limit
from opforge.gluon.downloading import check_sha1, fetch, home_folder, repository_url, sha1_of

__all__ = ["expect_name", "local_file"]

#: No published embedding file is larger. ``OPFORGE_UNPACK_LIMIT_MB`` can raise this limit.
_MOST_BYTES = 8 << 30


def expect_name(embedding: str, name: str, known: Iterable[str]) -> None:
    """Raise an error if the name of a file is unknown.

    Raises
    ------
    KeyError
        The name is unknown; the message lists similar ones.
    """
    names = list(known)
    if name not in names:
        close = close_names(name, names) or names[:5]
        raise KeyError(
            f"Cannot find pretrained file {name} for token embedding {embedding}. There are "
            f"{len(names)} files, for example {', '.join(close)}. Call "
            f"embedding.get_pretrained_file_names({embedding!r}) to list them, or use "
            "CustomEmbedding to read any other file"
        )


def local_file(
    root: str | os.PathLike[str] | None,
    embedding: str,
    name: str,
    published: str,
    sha1_hash: str | None,
    download: bool,
) -> str:
    """Return the path of an embedding file.

    Parameters
    ----------
    root : path-like or None
        If None, the folder ``embeddings`` of `OPFORGE_HOME`.
    embedding : str
        Subfolder of `root`.
    name, published : str
        Name of the file, and of the archive that contains it, if different.
    sha1_hash : str or None
        Digest of the file, if known.
    download : bool
        Whether to download a missing file.

    Raises
    ------
    MissingFileError
        The file is missing; the message says where to put it.
    OpforgeError
        The digest differs, the download failed, or the archive lacks the file.
    """
    top = home_folder("embeddings") if root is None else Path(root)
    folder = top.expanduser() / embedding
    path, archive = folder / name, folder / published
    if not path.is_file():
        if not archive.is_file():
            url = repository_url(f"gluon/embeddings/{embedding}", published)
            if not download:
                raise _missing(path, archive, url)
            fetch(url, archive, sha1_hash if archive == path else None)
        if archive != path:
            _unpack(archive, path)
    if sha1_hash and not check_sha1(path, sha1_hash):
        raise OpforgeError(
            f"{path} has the SHA-1 {sha1_of(path)}, expected {sha1_hash}. Replace it with the "
            "right file"
        )
    return str(path)


def _missing(path: Path, archive: Path, url: str) -> MissingFileError:
    packed = f", or the archive as {archive.name}" if archive != path else ""
    return MissingFileError(
        f"there is no file {path}. Put it into {path.parent} as {path.name}{packed}, or pass "
        f"download=True, which tries {url}. To read a file from another location, use "
        "CustomEmbedding(path)"
    )


def _unpack(archive: Path, path: Path) -> None:
    """Extract a file from an archive atomically."""
    try:
        with _member(archive, path.name) as packed, replacing(path) as file:
            copy_unpacked(packed, file, archive, _limit(), what=path.name)
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error) as error:
        raise OpforgeError(
            f"cannot extract {path.name} from {archive}: {str(error).splitlines()[0]}. Replace the "
            "archive with the right one"
        ) from error


def _limit() -> int:
    return max(_MOST_BYTES, unpack_limit())


@contextmanager
def _member(archive: Path, name: str) -> Iterator[IO[bytes]]:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as zipped, zipped.open(name) as packed:
            yield packed
    else:
        with open_tar(archive, _limit()) as tar:
            packed_file = tar.extractfile(name)
            if packed_file is None:
                raise KeyError(f"{name!r} is a folder")
            yield packed_file
