"""Trial loads of plugins with native code in a separate process.

A segmentation fault cannot be caught: if native code crashes during its import, it ends the
interpreter, and with it the user's notebook. Such a plugin is therefore first loaded in a process
that may crash. The result is stored under the hash of the native files, which are tried only once.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..base import config
from ..base.errors import PluginError
from ..base.files import replacing
from .discovery import Provider
from .metadata_folder import MetadataFolder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NativeCrashError", "check", "native_files", "quarantined", "results_file"]

_SUFFIXES = (".so", ".pyd", ".dll", ".dylib")
#: Time limit; a process that takes longer gives no result.
_SECONDS = 120
_LOADED = "opforge: the trial ended"
#: Program of the process; its environment disables nested trials.
_PROGRAM = f"""
import json, os, sys
sys.path[:] = json.loads(sys.argv[1])
import opforge.plugin
try:
    opforge.plugin.RESOLVER.load(sys.argv[2])
except BaseException:
    pass  # the actual load raises it again
sys.stderr.write({_LOADED!r} + chr(10))
sys.stderr.flush()
os._exit(0)  # failures at exit do not count
"""


class NativeCrashError(PluginError):
    """Crash of a plugin's native code in the trial process; the message is its trace."""


def check(provider: Provider) -> None:
    """Load a plugin with native code in another process, unless a result is stored.

    Raises
    ------
    PluginError
        The process crashed, now or in an earlier trial of the same files.
    """
    key = _key(provider)
    if not key:
        return
    known = _read().get(key)
    if known is None:
        known = _try(provider)
        if known is None:
            return
        _keep(key, known)
    if known["fate"]:
        raise _error(provider, known) from NativeCrashError(known["trace"])


def quarantined(providers: Iterable[Provider]) -> dict[str, tuple[str, str]]:
    """Return plugin key -> (reason, trace) of plugins in quarantine, without new trials."""
    results = _read() if config.get_bool("OPFORGE_PROBE") else {}
    suspects = {row["plugin"] for row in results.values() if row["fate"]}
    found = {}
    for provider in providers:
        if provider.key in suspects:  # the others need no hash
            known = results.get(_key(provider))
            if known is not None and known["fate"]:
                error = str(_error(provider, known))
                found[provider.key] = error, f"{known['trace']}\n\n{error}"
    return found


def native_files(provider: Provider) -> "list[Path]":
    """Return the native files of a plugin's distribution, as listed in its metadata.

    For an editable installation, which lists none, return those in the folders of its packages.
    """
    if provider.folder and not _may_have_native_files(MetadataFolder(provider.folder)):
        return []
    # Imported here, because they take long, and few plugins have native files.
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path

    from .record import editable_folder, listed_files

    try:
        found = distribution(provider.name)
    except (PackageNotFoundError, ValueError):
        return []
    paths = [Path(str(file.locate())) for file in listed_files(found)]
    if editable_folder(found):
        paths += _files_beside(provider)
    named = (path for path in paths if path.suffix in _SUFFIXES or ".so." in path.name)
    return sorted(path for path in named if path.is_file())


def _may_have_native_files(folder: MetadataFolder) -> bool:
    """Return whether RECORD needs parsing; most plugins have no native files."""
    try:
        files, origin = folder.read_text("RECORD"), folder.read_text("direct_url.json")
    except (OSError, ValueError):
        return True  # the parsers decide
    return "editable" in (origin or "") or any(suffix in (files or "") for suffix in _SUFFIXES)


def _files_beside(provider: Provider) -> "Iterator[Path]":
    """Yield the files in the packages of a plugin's modules, found without importing them."""
    from .module_location import locate

    for value in provider.modules.values():
        file = locate(value.partition(":")[0].strip())
        if file is not None and file.name == "__init__.py":
            yield from file.parent.rglob("*")


def results_file() -> str:
    """Return the path of the file of stored results."""
    folder = os.environ.get("XDG_CACHE_HOME", "")
    # The specification requires ignoring relative paths.
    base = folder if os.path.isabs(folder) else os.path.expanduser("~/.cache")
    return os.path.join(base, "opforge", "trials.json")


def _key(provider: Provider) -> str:
    """Return a hash of a plugin's native files and this Python; empty if no trial is needed."""
    if not config.get_bool("OPFORGE_PROBE") or not sys.executable:
        return ""
    files = native_files(provider)
    if not files:
        return ""
    import hashlib

    # Another version may call the same native code differently.
    digest = hashlib.sha256(f"{provider.key} {provider.version} {sys.version}".encode())
    for path in files:
        digest.update(f"\n{path.name} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _try(provider: Provider) -> dict[str, Any] | None:
    """Load a plugin in another process; return None if that gave no result."""
    import subprocess

    command = [sys.executable, "-X", "faulthandler", "-c", _PROGRAM]
    try:
        done = subprocess.run(
            [*command, json.dumps(sys.path), provider.key],
            env={**os.environ, "OPFORGE_PROBE": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stderr.decode("utf-8", "replace").strip()
    loaded = _LOADED in text.splitlines()
    fate, trace = ("", "") if loaded else (_fate(done.returncode), text)
    return {"plugin": provider.key, "version": provider.version, "fate": fate, "trace": trace}


def _fate(status: int) -> str:
    import signal

    if status >= 0:
        return f"ended it with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"ended it with {name}"


def _error(provider: Provider, known: dict[str, Any]) -> PluginError:
    return PluginError(
        f"{provider.name} {provider.version} is in quarantine: its native code was tried in a "
        f"separate process and {known['fate']}; install another version, or set "
        "OPFORGE_PROBE=0 to load it anyway"
    )


def _read() -> dict[str, dict[str, Any]]:
    """Return the stored results by key; none if the file is invalid."""
    try:
        with open(results_file(), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    fields = {"plugin", "version", "fate", "trace"}
    rows = found.items() if isinstance(found, dict) else ()
    return {key: row for key, row in rows if isinstance(row, dict) and set(row) >= fields}


def _keep(key: str, result: dict[str, Any]) -> None:
    """Store a result; those of other installations of the plugin are kept."""
    path = results_file()
    text = json.dumps({**_read(), key: result}, indent=1)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with replacing(path) as file:
            file.write(text.encode())
    except OSError:
        return  # a read-only home folder: the next program tries again
