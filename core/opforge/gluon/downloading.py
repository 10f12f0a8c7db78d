"""Download of a single file: to a temporary name, with a progress bar, verified, then renamed.

Invariant: the target file is either complete and verified, or does not exist.
"""

import hashlib
import os
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from ..base import config
from ..base.errors import OpforgeError

__all__ = ["check_sha1", "fetch", "home_folder", "repository_url", "sha1_of"]

_CHUNK = 1 << 16
_TIMEOUT_S = 30


def home_folder(*names: str) -> Path:
    """Return a folder of downloaded files, given by its names below `OPFORGE_HOME`."""
    return Path(config.get("OPFORGE_HOME")).expanduser().joinpath(*names)


def repository_url(namespace: str, filename: str) -> str:
    """Return the URL of a file in a folder of the repository `OPFORGE_GLUON_REPO`."""
    return f"{_get_repo_url()}{namespace}/{filename}"


def _get_repo_url() -> str:
    """Return the URL of the repository of models and data, ending with ``/``."""
    return config.get("OPFORGE_GLUON_REPO").rstrip("/") + "/"


def sha1_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-1 digest of the file at `path`, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha1").hexdigest()


def check_sha1(filename: str | os.PathLike[str], sha1_hash: str) -> bool:
    """Return whether the file has the given SHA-1 digest, in hexadecimal."""
    return sha1_of(filename) == sha1_hash.lower()


def fetch(
    url: str,
    path: str | os.PathLike[str],
    sha1_hash: str | None = None,
    retries: int = 3,
    verify_ssl: bool = True,
    advice: str = "",
) -> Path:
    """Download `url` to the file `path`; a missing folder is created.

    Parameters
    ----------
    url : str
        ``http``, ``https`` or ``file``.
    path : path-like
        Created only once the download is complete and verified.
    sha1_hash : str, optional
        Expected SHA-1 digest in hexadecimal.
    retries : int, default 3
        Number of attempts.
    verify_ssl : bool, default True
        Whether to verify the certificate of an ``https`` server.
    advice : str
        Alternative without a network, for the error message: the end of a sentence.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    OpforgeError
        The last attempt failed, or the file has another digest; the message says what to do.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        for left in reversed(range(max(1, retries))):
            try:
                _receive(url, partial, target.name, sha1_hash, verify_ssl)
                os.replace(partial, target)
                return target
            except (OSError, _WrongDigestError) as error:
                if isinstance(error, urllib.error.HTTPError):
                    error.close()  # the error holds the connection
                if not left or _is_final(error):
                    raise _download_error(url, target, error, advice) from error
                time.sleep(1.0)
    finally:
        partial.unlink(missing_ok=True)
    raise AssertionError("unreachable")


class _WrongDigestError(Exception):
    """Error for a downloaded file with the wrong digest."""


def _receive(url: str, partial: Path, name: str, sha1_hash: str | None, verify_ssl: bool) -> None:
    digest = hashlib.sha1(usedforsecurity=False)
    trust = None if verify_ssl else ssl._create_unverified_context()
    opened = urllib.request.urlopen(url, timeout=_TIMEOUT_S, context=trust)
    with opened as response, open(partial, "wb") as file:
        length = response.headers.get("Content-Length")
        with _progress(name, int(length) if length else None) as progress:
            while chunk := response.read(_CHUNK):
                file.write(chunk)
                digest.update(chunk)
                progress.update(len(chunk))
    if length and partial.stat().st_size != int(length):
        raise _WrongDigestError(f"the connection closed after {partial.stat().st_size} bytes")
    if sha1_hash and digest.hexdigest() != sha1_hash.lower():
        raise _WrongDigestError(f"its SHA-1 is {digest.hexdigest()}, expected {sha1_hash}")


def _is_final(error: Exception) -> bool:
    """Return whether another attempt is futile because the file does not exist."""
    if isinstance(error, urllib.error.HTTPError):
        return 400 <= error.code < 500
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return isinstance(reason, FileNotFoundError)


def _download_error(url: str, target: Path, error: Exception, advice: str) -> OpforgeError:
    return OpforgeError(
        f"cannot download {url}: {error}. Without a network, put the file into "
        f"{target.parent.resolve()} as {target.name}{advice}"
    )


class _Progress(Protocol):
    def update(self, n: int) -> Any: ...


@contextmanager
def _progress(name: str, total: int | None) -> Iterator[_Progress]:
    try:
        from tqdm import tqdm
    except ImportError:
        with _plain_progress(name) as plain:
            yield plain
    else:
        with tqdm(total=total, desc=name, unit="B", unit_scale=True) as bar:
            yield bar


@contextmanager
def _plain_progress(name: str) -> Iterator[_Progress]:
    """Print start and end of a download if tqdm is not installed."""
    counter = _Counter()
    print(f"downloading {name} ...", file=sys.stderr, flush=True)
    yield counter
    print(f"downloaded {name} ({counter.total} bytes)", file=sys.stderr)


class _Counter:
    def __init__(self) -> None:
        self.total = 0

    def update(self, n: int) -> None:
        self.total += n
