"""Metadata of distributions that are not installed, written to a folder on `sys.path`."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["write_metadata"]


def write_metadata(
    folder: Path,
    name: str,
    version: str,
    entry_points: Mapping[str, Mapping[str, str]],
    project: Path | None = None,
    requires: Iterable[str] = (),
) -> Path:
    """Write the folder ``NAME-VERSION.dist-info`` that an installer would write.

    Parameters
    ----------
    folder : Path
        Folder to put on ``sys.path``.
    name, version : str
        Name and version of the distribution.
    entry_points : mapping of str to mapping of str to str
        Group -> name -> ``module:object``.
    project : Path, optional
        Folder of its sources, as for an editable install.
    requires : iterable of str, optional
        Requirements.

    Returns
    -------
    Path
        The new folder.
    """
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {text}\n" for text in requires)
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    sections = [
        "\n".join([f"[{group}]", *(f"{key} = {value}" for key, value in points.items())])
        for group, points in entry_points.items()
    ]
    (info / "entry_points.txt").write_text("\n\n".join(sections) + "\n", encoding="utf-8")
    if project is not None:
        origin = {"url": project.absolute().as_uri(), "dir_info": {"editable": True}}
        (info / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
    return info
