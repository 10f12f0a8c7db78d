"""Download of one file: to a temporary name, with a progress bar, checked, then put in place.

Invariant: at the file's own name there is a whole and checked file, or none.
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

from ..base.errors import OpforgeError

__all__ = ["check_sha1", "fetch", "sha1_of"]

_CHUNK = 1 << 16
_TIMEOUT_S = 30


def sha1_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-1 digest of the file at `path`, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha1").hexdigest()


def check_sha1(path: str | os.PathLike[str], sha1_hash: str) -> bool:
    """Tell whether the file at `path` has this SHA-1 digest, in hexadecimal."""
    return sha1_of(path) == sha1_hash.lower()


def fetch(
    url: str,
    path: str | os.PathLike[str],
    sha1_hash: str | None = None,
    retries: int = 3,
    verify_ssl: bool = True,
    advice: str = "",
) -> Path:
    """Download `url` to the file `path`; its folder is made where it is missing.

    Parameters
    ----------
    url : str
        ``http``, ``https`` or ``file``.
    path : path-like
        Nothing stands there until the download is complete and checked.
    sha1_hash : str, optional
        Expected SHA-1 digest in hexadecimal.
    retries : int, default 3
        How often to try.
    verify_ssl : bool, default True
        Whether the server of an ``https`` address must prove who it is.
    advice : str
        What else to do without a network, for the message: the end of a sentence.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    OpforgeError
        The last try failed, or gave a file of another digest; the message says what to do.
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
                    error.close()  # it holds the connection
                if not left or _is_final(error):
                    raise _failed(url, target, error, advice) from error
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
    """Tell whether another try is in vain: there is no such file."""
    if isinstance(error, urllib.error.HTTPError):
        return 400 <= error.code < 500
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return isinstance(reason, FileNotFoundError)


def _failed(url: str, target: Path, error: Exception, advice: str) -> OpforgeError:
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
    """Say what is downloaded, and how much it was, where tqdm is not installed."""
    counter = _Counter()
    print(f"downloading {name} ...", file=sys.stderr, flush=True)
    yield counter
    print(f"downloaded {name} ({counter.total} bytes)", file=sys.stderr)


class _Counter:
    def __init__(self) -> None:
        self.total = 0

    def update(self, n: int) -> None:
        self.total += n
