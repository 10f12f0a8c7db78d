"""Files of parameters of whole models, in a folder of this machine."""

import logging
import os
from pathlib import Path
from typing import Any

from ...base import config
from ..downloading import sha1_of

__all__ = ["get_model_file", "purge"]

#: Model -> SHA-1 of the file with its parameters. Packages that were written for MXNet add theirs.
_model_sha1: dict[str, str] = {}


def get_model_file(name: str, root: str | os.PathLike[str] | None = None) -> str:
    """Return the file with the parameters of a model.

    Nothing is downloaded: opforge publishes no parameters, and MXNet's are no longer served.

    Parameters
    ----------
    name : str
        The model, as ``resnet18_v1``.
    root : str, optional
        Folder to look in for ``name.params``, or for ``name-xxxxxxxx.params`` as MXNet names its
        files: what is behind the hyphen are the first digits of the content's SHA-1. The default is
        the folder ``models`` of `OPFORGE_HOME`.

    Raises
    ------
    FileNotFoundError
        There is none; the message says where it was looked for.
    ValueError
        The content of a file is not what its name says.
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
        raise ValueError(f"{damaged}; put the file there again")
    known = _model_sha1.get(name)
    file = f"MXNet's file, {name}-{known[:8]}.params" if known else "MXNet's file"
    raise FileNotFoundError(
        f"no parameters of the model {name!r}: looked for {name}.params and {name}-*.params in "
        f"{folder}. opforge does not download them: save such a network's parameters with "
        f"net.save_parameters(...), there or in a folder that you pass as root, or copy {file}"
    )


def purge(root: str | os.PathLike[str] | None = None) -> None:
    """Delete all files of parameters in a folder.

    Parameters
    ----------
    root : str, optional
        As for `get_model_file`.
    """
    for found in _folder(root).glob("*.params"):
        found.unlink()


def _folder(root: Any) -> Path:
    if root is None:
        return Path(config.get("OPFORGE_HOME")).expanduser() / "models"
    return Path(root).expanduser()
