"""First loads of plugins with native code are tried in a process of their own.

A segmentation fault cannot be caught: a plugin whose native code has one while it is imported ends
the interpreter, and with it somebody's notebook. So such a plugin is first loaded by a process that
may die. What became of it is kept under the hash of the native files, so that files are tried once.
"""

import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from ..base import config
from ..base.errors import PluginError
from .discovery import Provider

__all__ = ["NativeCrashError", "check", "native_files", "quarantined", "results_file"]

_SUFFIXES = (".so", ".pyd", ".dll", ".dylib")
#: A process that takes longer than this tells nothing.
_SECONDS = 120
_LOADED = "opforge: the trial ended"
#: What the process runs; its own switches keep it from trying in turn.
_PROGRAM = f"""
import json, os, sys
sys.path[:] = json.loads(sys.argv[1])
import opforge.plugin
from opforge.plugin.loading import load_provider
try:
    load_provider(opforge.plugin.RESOLVER.states()[sys.argv[2]].provider)
except BaseException:
    pass  # the load that follows raises it where it is seen
sys.stderr.write({_LOADED!r} + chr(10))
sys.stderr.flush()
os._exit(0)  # how it ends says nothing of how it loads
"""


class NativeCrashError(PluginError):
    """The native code of a plugin ended the process that tried it; the text is its trace."""


def check(provider: Provider) -> None:
    """Try a plugin's first load in another process, where it has native code and no result is kept.

    Raises
    ------
    PluginError
        The process died of it, now or when these files were tried before.
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
    """Return by key the plugins that would not be loaded, with why and the trace; tries nothing."""
    results = _read() if config.get_bool("OPFORGE_PROBE") else {}
    suspects = {row["plugin"] for row in results.values() if row["fate"]}
    found = {}
    for provider in providers:
        if provider.key in suspects:  # nothing is hashed for the others
            known = results.get(_key(provider))
            if known is not None and known["fate"]:
                error = str(_error(provider, known))
                found[provider.key] = error, f"{known['trace']}\n\n{error}"
    return found


def native_files(provider: Provider) -> list[Path]:
    """Return the files of native code in a plugin's distribution, as its metadata lists them.

    One that is installed for development lists none: those in the folders of its packages count.
    """
    # Here: looking for plugins needs none of it, loading one does.
    from .record import editable_place, listed_files

    try:
        found = distribution(provider.name)
    except (PackageNotFoundError, ValueError):
        return []
    paths = [Path(str(file.locate())) for file in listed_files(found)]
    if editable_place(found):
        paths += _files_beside(provider)
    named = (path for path in paths if path.suffix in _SUFFIXES or ".so." in path.name)
    return sorted(path for path in named if path.is_file())


def _files_beside(provider: Provider) -> Iterator[Path]:
    """Yield the files in the packages of a plugin's modules, found without importing them."""
    from .places import locate

    for value in provider.modules.values():
        file = locate(value.partition(":")[0].strip())
        if file is not None and file.name == "__init__.py":
            yield from file.parent.rglob("*")


def results_file() -> Path:
    """Return the file that the results are kept in."""
    folder = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says to pass over one that is not absolute.
    base = folder if os.path.isabs(folder) else os.path.expanduser("~/.cache")
    return Path(base) / "opforge" / "trials.json"


def _key(provider: Provider) -> str:
    """Return the hash of a plugin's native files and this Python; empty: nothing is to be tried."""
    if not config.get_bool("OPFORGE_PROBE") or not sys.executable:
        return ""
    files = native_files(provider)
    if not files:
        return ""
    import hashlib

    # Other code of the plugin may call the native code in another way.
    digest = hashlib.sha256(f"{provider.key} {provider.version} {sys.version}".encode())
    for path in files:
        digest.update(f"\n{path.name} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _try(provider: Provider) -> dict[str, Any] | None:
    """Load a plugin in another process; None: that told nothing."""
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
        f"process of its own and {known['fate']}; install another version of it, or set "
        "OPFORGE_PROBE=0 to load it all the same"
    )


def _read() -> dict[str, dict[str, Any]]:
    """Return the results by key; a file that cannot be understood has none."""
    try:
        found = json.loads(results_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    fields = {"plugin", "version", "fate", "trace"}
    rows = found.items() if isinstance(found, dict) else ()
    return {key: row for key, row in rows if isinstance(row, dict) and set(row) >= fields}


def _keep(key: str, result: dict[str, Any]) -> None:
    """Add a result; those of other installations of the same plugin stay."""
    import tempfile

    path = results_file()
    text = json.dumps({**_read(), key: result}, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix="trials-", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
        os.replace(file.name, path)
    except OSError:
        return  # a home that cannot be written to: the next program tries again
