"""Metadata of a release's distributions, each of which is self-contained on an index.

The repository states each fact once: the core's pyproject.toml has the classifiers, LICENSE is in
the root folder, and links point from file to file. `complete` writes all of it into every
distribution of a copy of the repository, never into the repository itself.
"""

import posixpath
import re
import shutil
from pathlib import Path

import tomlkit

__all__ = ["absolute_links", "complete", "distributions"]

#: Classifiers of the core that do not apply to its plugins.
_CORE_ONLY = {"Programming Language :: Cython"}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def distributions(root: Path) -> list[Path]:
    """Return the folder of each distribution of the repository, the core's first."""
    return [root, *sorted(path.parent for path in root.glob("plugins/*/pyproject.toml"))]


def complete(root: Path, url: str = "") -> None:
    """Add license, classifiers, URLs and absolute links to each distribution under `root`.

    Parameters
    ----------
    root : Path
        A copy of the repository, which is changed.
    url : str, default ""
        Address of the repository, for instance ``https://github.com/acme/opforge``. Without it, no
        addresses are written, and links between files become plain text.
    """
    url = url.rstrip("/")
    core, *plugins = distributions(root)
    project = tomlkit.parse((core / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    common = [text for text in project["classifiers"] if text not in _CORE_ONLY]
    tag = f"v{project['version']}"
    for folder in (core, *plugins):
        folder_path = folder.relative_to(root).as_posix()
        said: dict[str, object] = {"urls": _addresses(url, tag, folder_path)} if url else {}
        if folder != core:
            language = "C" if (folder / "setup.py").exists() else "Python"
            said["classifiers"] = sorted([*common, f"Programming Language :: {language}"])
            said["license-files"] = ["LICENSE"]
            shutil.copy(root / "LICENSE", folder)
        _add(folder / "pyproject.toml", said)
        readme = folder / "README.md"
        text = absolute_links(readme.read_text(encoding="utf-8"), folder_path, url, tag)
        readme.write_text(text, encoding="utf-8")


def _addresses(url: str, tag: str, folder_path: str) -> dict[str, str]:
    """Return ``[project.urls]`` of the release with this tag."""
    return {
        "Source": f"{url}/tree/{tag}" + ("" if folder_path == "." else f"/{folder_path}"),
        "Documentation": f"{url}/blob/{tag}/docs/index.md",
        "Changelog": f"{url}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }


def _add(path: Path, said: dict[str, object]) -> None:
    """Add entries to ``[project]`` of a pyproject.toml."""
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    document["project"].update(said)
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


def absolute_links(text: str, folder_path: str, url: str, tag: str) -> str:
    """Return Markdown with links to the repository instead of files; without `url`, no links.

    Parameters
    ----------
    text : str
        Markdown; blocks of code are left unchanged.
    folder_path : str
        Folder of the file within the repository, ``"."`` for its top.
    url, tag : str
        Address of the repository, and the tag of the release.
    """

    def absolute(found: re.Match[str]) -> str:
        picture, label, target = found.groups()
        if not url:
            return label
        path = posixpath.normpath(posixpath.join(folder_path, target))
        return f"{picture}[{label}]({url}/{'raw' if picture else 'blob'}/{tag}/{path})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _LINK.sub(absolute, part) for part in parts)
