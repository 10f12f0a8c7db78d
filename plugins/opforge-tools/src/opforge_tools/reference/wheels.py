"""Plugins in a folder of wheels, or installed: metadata and source text without running code.

Only small source files of a wheel are unpacked, into a temporary folder and only to paths inside
it.
"""

import re
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

from opforge import plugin
from opforge.base.errors import PluginError
from opforge.base.version import VERSION
from opforge.op.registry.entry import CORE
from opforge.plugin import Provider
from opforge.plugin.discovery import GROUPS, provider_of
from opforge.plugin.module_location import SearchFolders
from opforge.plugin.wheel import open_wheel

__all__ = ["Package", "installed_packages", "wheel_packages"]

_MOST_FILES = 5_000
_MOST_BYTES = 2 << 20
_RELEASE = re.compile(r"(?:\d+!)?(\d+(?:\.\d+)*)(.*)")


@dataclass(frozen=True)
class Package:
    """One distribution of a plugin.

    Parameters
    ----------
    provider : Provider
    summary, home : str
        Summary and home page.
    requires_python : str
    requires : tuple of str
        Requirements.
    folders : tuple of str or None
        Paths of its source; None: on `sys.path`.
    problem : str
        Reason why it could not be read.
    """

    provider: Provider
    summary: str = ""
    home: str = ""
    requires_python: str = ""
    requires: tuple[str, ...] = ()
    folders: SearchFolders = None
    problem: str = ""

    @property
    def requires_opforge(self) -> str:
        """Required versions of opforge; empty for any."""
        for text in self.requires:
            match = re.match(r"opforge\s*(?:\[[^]]*\])?\s*\(?([^;)]*)", text.strip(), re.IGNORECASE)
            if match and not re.match(r"opforge[\w.-]", text.strip(), re.IGNORECASE):
                return match.group(1).strip()
        return ""


def installed_packages() -> list[Package]:
    """Return the enabled plugins of this environment, and opforge itself."""
    core = Provider(CORE, VERSION, {}, {noun: {} for noun in GROUPS})
    found = [_package(core, _metadata(CORE), None)]
    for state in plugin.states():
        if state.state != "disabled":
            found.append(_package(state.provider, _metadata(state.provider.name), None))
    return found


def _metadata(distribution: str) -> Any:
    try:
        return metadata.metadata(distribution)
    except (metadata.PackageNotFoundError, ValueError):
        return Message()


@contextmanager
def wheel_packages(folder: Path) -> Iterator[list[Package]]:
    """Return the plugins among the wheels of a folder, the newest version of each.

    Their source stays in a temporary folder until the block ends.
    """
    with tempfile.TemporaryDirectory(prefix="opforge-catalogue-") as unpacked:
        newest: dict[str, Package] = {}
        for number, wheel in enumerate(sorted(folder.glob("*.whl"))):
            package = _read(wheel, Path(unpacked, str(number)))
            known = newest.get(package.provider.key)
            if known is None or _order(known.provider.version) < _order(package.provider.version):
                newest[package.provider.key] = package
        plugins = [p for p in newest.values() if p.problem or any(p.provider.provides.values())]
        yield sorted(plugins, key=lambda package: package.provider.key)


def _order(version: str) -> tuple[Any, ...]:
    """Return the sort key of a version; a release follows its pre-releases."""
    match = _RELEASE.match(version)
    if match is None:
        return ((), False, version)
    release = tuple(int(part) for part in match.group(1).split("."))
    return (release, not re.match(r"[._-]?(a|b|c|rc|dev|alpha|beta|pre)", match.group(2)), version)


def _read(wheel: Path, folder: Path) -> Package:
    try:
        with open_wheel(wheel) as distribution:
            provider = provider_of(distribution)
            if any(provider.provides.values()):
                _unpack(wheel, folder)
            return _package(provider, distribution.metadata, (str(folder),))
    except (PluginError, OSError, zipfile.BadZipFile, LookupError, ValueError) as error:
        name, _, rest = wheel.stem.partition("-")
        nothing: dict[str, dict[str, str]] = {noun: {} for noun in GROUPS}
        broken = Provider(name, rest.partition("-")[0] or "unknown", {}, nothing)
        return Package(broken, problem=f"{wheel.name}: {type(error).__name__}: {error}")


def _package(provider: Provider, about: Any, folders: SearchFolders) -> Package:
    # A project's links are "label, address".
    links = [str(link).rpartition(",")[2].strip() for link in about.get_all("Project-URL") or ()]
    homes = [str(about.get("Home-page") or ""), *links]
    return Package(
        provider,
        summary=str(about.get("Summary") or ""),
        home=next((url for url in homes if re.match(r"https?://[^\s\"'<>]+$", url)), ""),
        requires_python=str(about.get("Requires-Python") or ""),
        requires=tuple(str(text) for text in about.get_all("Requires-Dist") or ()),
        folders=folders,
    )


def _unpack(wheel: Path, folder: Path) -> None:
    """Write the source files of a wheel; sizes and names are untrusted."""
    with zipfile.ZipFile(wheel) as archive:
        sources = [member for member in archive.infolist() if member.filename.endswith(".py")]
        if len(sources) > _MOST_FILES:
            raise ValueError(f"it has {len(sources)} source files, expected at most {_MOST_FILES}")
        for member in sources:
            path = PurePosixPath(member.filename)
            if path.is_absolute() or ".." in path.parts or "\\" in member.filename:
                raise ValueError(f"{member.filename!r} would be written outside its folder")
            target = folder.joinpath(*path.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_bytes(archive, member))


def _bytes(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the contents of a file; enforce the size limit regardless of its header."""
    with archive.open(member) as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"{member.filename} has more than {_MOST_BYTES} bytes")
    return data
