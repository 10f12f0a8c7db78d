"""Files of vectors that others have made: where they lie, and how they come there.

They are taken from a folder of this machine, ``root/embedding/file``, or out of an archive there.
Nothing is downloaded that was not asked for: some are several gigabytes large.
"""

import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from opforge.base import config
from opforge.base.errors import MissingFileError, OpforgeError
from opforge.base.files import replacing
from opforge.base.spelling import close_names
from opforge.base.unpacking import copy_unpacked, open_tar, unpack_limit
from opforge.gluon.downloading import check_sha1, fetch, sha1_of
from opforge.gluon.repository import _get_repo_file_url

__all__ = ["expect_name", "local_file"]

#: No published file of vectors is larger; the setting raises this limit.
_MOST_BYTES = 8 << 30


def expect_name(embedding: str, name: str, known: Iterable[str]) -> None:
    """Check the name of a file.

    Raises
    ------
    KeyError
        There is none of this name; the message has some that there are.
    """
    names = list(known)
    if name not in names:
        close = close_names(name, names) or names[:5]
        raise KeyError(
            f"Cannot find pretrained file {name} for token embedding {embedding}. There are "
            f"{len(names)}, for instance {', '.join(close)}; see "
            f"embedding.get_pretrained_file_names({embedding!r}). CustomEmbedding reads any file"
        )


def local_file(
    root: str | os.PathLike[str] | None,
    embedding: str,
    name: str,
    published: str,
    sha1_hash: str | None,
    download: bool,
) -> str:
    """Return the path of a file of vectors.

    Parameters
    ----------
    root : path-like or None
        None: the folder ``embeddings`` of `OPFORGE_HOME`.
    embedding : str
        The folder below it.
    name, published : str
        Name of the file, and of the archive in which it is published, if that is another.
    sha1_hash : str or None
        Digest of the file where it is known.
    download : bool
        Download what is not there.

    Raises
    ------
    MissingFileError
        It is not there; the message says where to put it.
    OpforgeError
        Its digest is another, the download failed, or the archive lacks the file.
    """
    top = Path(config.get("OPFORGE_HOME"), "embeddings") if root is None else Path(root)
    folder = top.expanduser() / embedding
    path, archive = folder / name, folder / published
    if not path.is_file():
        if not archive.is_file():
            url = _get_repo_file_url(f"gluon/embeddings/{embedding}", published)
            if not download:
                raise _missing(path, archive, url)
            fetch(url, archive, sha1_hash if archive == path else None)
        if archive != path:
            _unpack(archive, path)
    if sha1_hash and not check_sha1(path, sha1_hash):
        raise OpforgeError(
            f"{path} has the SHA-1 {sha1_of(path)}, expected {sha1_hash}. Delete it and put the "
            "right file in its place"
        )
    return str(path)


def _missing(path: Path, archive: Path, url: str) -> MissingFileError:
    packed = f", or the archive as {archive.name}" if archive != path else ""
    return MissingFileError(
        f"there is no file {path}. Put it into {path.parent} as {path.name}{packed}; or pass "
        f"download=True, which tries {url}. A file of another place is read by "
        "CustomEmbedding(path)"
    )


def _unpack(archive: Path, path: Path) -> None:
    """Take a file out of an archive; what is only half there never has its name."""
    try:
        with _member(archive, path.name) as packed, replacing(path) as file:
            copy_unpacked(packed, file, archive, _limit(), what=path.name)
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error) as error:
        raise OpforgeError(
            f"cannot take {path.name} out of {archive}: {str(error).splitlines()[0]}. Delete the "
            "archive and put the right one in its place"
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
