"""Distributions that are not installed: their metadata, written where Python finds it."""

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
        Becomes a place of ``sys.path``.
    name, version : str
        Of the distribution.
    entry_points : mapping of str to mapping of str to str
        Group -> name -> ``module:object``.
    project : Path, optional
        Where its sources stand, as of a distribution that is installed for development.
    requires : iterable of str, optional
        Its requirements.

    Returns
    -------
    Path
        The folder made.
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
