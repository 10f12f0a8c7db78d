"""Local files with the parameters of models."""

import logging
import os
from pathlib import Path
from typing import Any

from ..downloading import home_folder, sha1_of

__all__ = ["get_model_file", "purge"]

#: Model -> SHA-1 of its parameter file. Packages written for MXNet add entries.
_model_sha1: dict[str, str] = {}


def get_model_file(name: str, root: str | os.PathLike[str] | None = None) -> str:
    """Return the path of the parameter file of a model.

    Nothing is downloaded: opforge publishes no parameters, and MXNet's are no longer served.

    Parameters
    ----------
    name : str
        Name of the model, such as ``resnet18_v1``.
    root : str, optional
        Folder with ``name.params``, or with ``name-xxxxxxxx.params`` as in MXNet, where the part
        after the hyphen is the start of the content's SHA-1. The default is the folder ``models``
        of `OPFORGE_HOME`.

    Raises
    ------
    FileNotFoundError
        No file was found; the message names the folder.
    ValueError
        The content of a file does not match the SHA-1 in its name.
    """
    folder = _folder(root)
    plain = folder / f"{name}.params"
    if plain.is_file():
        return str(plain)
    damaged = ""
    for found in sorted(folder.glob(f"{name}-*.params")):
        digits = found.stem.removeprefix(f"{name}-")
        if digits and sha1_of(found).startswith(digits.lower()):
            return str(found)
        damaged = f"{found} is damaged: its SHA-1 does not begin with {digits}"
        logging.warning(damaged)
    if damaged:
        raise ValueError(f"{damaged}; replace the file")
    known = _model_sha1.get(name)
    file = f"MXNet's file, {name}-{known[:8]}.params" if known else "MXNet's file"
    raise FileNotFoundError(
        f"no parameters of the model {name!r}: looked for {name}.params and {name}-*.params in "
        f"{folder}. opforge does not download them: save such a network's parameters with "
        f"net.save_parameters(...), there or in a folder that you pass as root, or copy {file}"
    )


def purge(root: str | os.PathLike[str] | None = None) -> None:
    """Delete all parameter files in a folder.

    Parameters
    ----------
    root : str, optional
        As for `get_model_file`.
    """
    for found in _folder(root).glob("*.params"):
        found.unlink()


def _folder(root: Any) -> Path:
    return home_folder("models") if root is None else Path(root).expanduser()
