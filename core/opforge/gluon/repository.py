"""Files by address or by name in a repository of models and data, as MXNet's programs get them."""

import os
from pathlib import Path

from ..base import config
from .downloading import check_sha1, fetch

__all__ = ["download", "replace_file"]


def download(
    url: str,
    path: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Download a file unless it is there already.

    Parameters
    ----------
    url : str
        ``http``, ``https`` or ``file``.
    path : path-like, optional
        File, or an existing folder, in which the file gets its name in `url`; None: the current
        folder. ``~`` stands for the user's folder.
    overwrite : bool, default False
        Download it even if it is there.
    sha1_hash : str, optional
        Digest of the right file in hexadecimal: another one that is there is replaced.
    retries : int, default 5
        How often to try again after a failure.
    verify_ssl : bool, default True
        Whether the server of an ``https`` address must prove who it is.

    Returns
    -------
    str
        The file.

    Raises
    ------
    OpforgeError
        The last try failed, or gave a file of another digest; the message says what to do.
    ValueError
        `retries` is negative, or `url` ends with ``/`` and `path` names no file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     source = Path(folder, "source.txt")
    ...     _ = source.write_text("weights")
    ...     Path(download(source.as_uri(), f"{folder}/copy.txt")).read_text()
    'weights'
    """
    if retries < 0:
        raise ValueError(f"download: got retries={retries}, expected at least 0")
    target = _target(url, path)
    there = target.exists() and not overwrite
    if not there or (sha1_hash and not check_sha1(target, sha1_hash)):
        fetch(url, target, sha1_hash, retries + 1, verify_ssl)
    return str(target)


def replace_file(src: str | os.PathLike[str], dst: str | os.PathLike[str]) -> None:
    """Move a file to another name, in the place of what stands there, all at once."""
    os.replace(src, dst)


def _target(url: str, path: str | os.PathLike[str] | None) -> Path:
    name = url.rsplit("/", 1)[-1]
    place = Path("." if path is None else path).expanduser()
    if not place.is_dir():
        return place
    if not name:
        raise ValueError(f"download: {url!r} ends with no file's name; pass path=FILE")
    return place / name


def _get_repo_url() -> str:
    """Return where files of models are, ending with ``/``; `OPFORGE_GLUON_REPO` moves it."""
    return config.get("OPFORGE_GLUON_REPO").rstrip("/") + "/"


def _get_repo_file_url(namespace: str, filename: str) -> str:
    """Return the address of a file: the repository, a folder of it, the name."""
    return f"{_get_repo_url()}{namespace}/{filename}"
