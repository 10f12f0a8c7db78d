"""Downloads by URL, as in MXNet."""

import os
from pathlib import Path

from .downloading import check_sha1, fetch, repository_url

__all__ = ["download", "replace_file"]

#: MXNet's name, which programs import from `gluon.utils`.
_get_repo_file_url = repository_url


def download(
    url: str,
    path: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Download a file unless it exists.

    Parameters
    ----------
    url : str
        ``http``, ``https`` or ``file``.
    path : path-like, optional
        Target file, or an existing folder for a file named as in `url`; None: the current folder.
        ``~`` stands for the user's home folder.
    overwrite : bool, default False
        Download an existing file again.
    sha1_hash : str, optional
        Expected digest in hexadecimal: an existing file with another digest is replaced.
    retries : int, default 5
        Number of further attempts after a failure.
    verify_ssl : bool, default True
        Whether to verify the certificate of an ``https`` server.

    Returns
    -------
    str
        Path of the file.

    Raises
    ------
    OpforgeError
        The last attempt failed, or the file has another digest; the message says what to do.
    ValueError
        `retries` is negative, or `url` ends with ``/`` and `path` is not a file.

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
    exists = target.exists() and not overwrite
    if not exists or (sha1_hash and not check_sha1(target, sha1_hash)):
        fetch(url, target, sha1_hash, retries + 1, verify_ssl)
    return str(target)


def replace_file(src: str | os.PathLike[str], dst: str | os.PathLike[str]) -> None:
    """Rename a file, atomically replacing an existing target."""
    os.replace(src, dst)


def _target(url: str, path: str | os.PathLike[str] | None) -> Path:
    name = url.rsplit("/", 1)[-1]
    target = Path("." if path is None else path).expanduser()
    if not target.is_dir():
        return target
    if not name:
        raise ValueError(f"download: {url!r} does not end with a file name; pass path=FILE")
    return target / name
