"""Local files with the parameters of models."""

import logging
import os
from pathlib import Path
from typing import Any

from ...base import config
from ..downloading import home_folder, sha1_of

__all__ = ["get_model_file", "purge"]

#: Model -> SHA-1 of MXNet's parameter file. Packages written for MXNet add entries.
_model_sha1: dict[str, str] = {
    "alexnet": "44335d1f0046b328243b32a26a4fbd62d9057b45",
    "densenet121": "f27dbf2dbd5ce9a80b102d89c7483342cd33cb31",
    "densenet161": "b6c8a95717e3e761bd88d145f4d0a214aaa515dc",
    "densenet169": "2603f878403c6aa5a71a124c4a3307143d6820e9",
    "densenet201": "1cdbc116bc3a1b65832b18cf53e1cb8e7da017eb",
    "inceptionv3": "ed47ec45a937b656fcc94dabde85495bbef5ba1f",
    "mobilenet0.25": "9f83e440996887baf91a6aff1cccc1c903a64274",
    "mobilenet0.5": "8e9d539cc66aa5efa71c4b6af983b936ab8701c3",
    "mobilenet0.75": "529b2c7f4934e6cb851155b22c96c9ab0a7c4dc2",
    "mobilenet1.0": "6b8c5106c730e8750bcd82ceb75220a3351157cd",
    "mobilenetv2_1.0": "36da4ff1867abccd32b29592d79fc753bca5a215",
    "mobilenetv2_0.75": "e2be7b72a79fe4a750d1dd415afedf01c3ea818d",
    "mobilenetv2_0.5": "aabd26cd335379fcb72ae6c8fac45a70eab11785",
    "mobilenetv2_0.25": "ae8f9392789b04822cbb1d98c27283fc5f8aa0a7",
    "resnet18_v1": "a0666292f0a30ff61f857b0b66efc0228eb6a54b",
    "resnet34_v1": "48216ba99a8b1005d75c0f3a0c422301a0473233",
    "resnet50_v1": "0aee57f96768c0a2d5b23a6ec91eb08dfb0a45ce",
    "resnet101_v1": "d988c13d6159779e907140a638c56f229634cb02",
    "resnet152_v1": "671c637a14387ab9e2654eafd0d493d86b1c8579",
    "resnet18_v2": "a81db45fd7b7a2d12ab97cd88ef0a5ac48b8f657",
    "resnet34_v2": "9d6b80bbc35169de6b6edecffdd6047c56fdd322",
    "resnet50_v2": "ecdde35339c1aadbec4f547857078e734a76fb49",
    "resnet101_v2": "18e93e4f48947e002547f50eabbcc9c83e516aa6",
    "resnet152_v2": "f2695542de38cf7e71ed58f02893d82bb409415e",
    "squeezenet1.0": "264ba4970a0cc87a4f15c96e25246a1307caf523",
    "squeezenet1.1": "33ba0f93753c83d86e1eb397f38a667eaf2e9376",
    "vgg11": "dd221b160977f36a53f464cb54648d227c707a05",
    "vgg11_bn": "ee79a8098a91fbe05b7a973fed2017a6117723a8",
    "vgg13": "6bc5de58a05a5e2e7f493e2d75a580d83efde38c",
    "vgg13_bn": "7d97a06c3c7a1aecc88b6e7385c2b373a249e95e",
    "vgg16": "e660d4569ccb679ec68f1fd3cce07a387252a90a",
    "vgg16_bn": "7f01cf050d357127a73826045c245041b0df7363",
    "vgg19": "ad2f660d101905472b83590b59708b71ea22b2e5",
    "vgg19_bn": "f360b758e856f1074a85abd5fd873ed1d98297c3",
}


def get_model_file(name: str, root: str | os.PathLike[str] | None = None) -> str:
    """Return the path of the parameter file of a model.

    Nothing is downloaded: opforge publishes no parameters, and MXNet's are no longer served.

    Parameters
    ----------
    name : str
        Name of the model, such as ``resnet18_v1``.
    root : str, optional
        Folder with ``name.params``, or with ``name-xxxxxxxx.params`` as in MXNet, where the part
        after the hyphen is the start of the content's SHA-1. By default, these folders are
        searched: `OPFORGE_MODEL_DIR`, ``models`` in `OPFORGE_HOME`, and MXNet's cache,
        ``~/.mxnet/models``.

    Raises
    ------
    FileNotFoundError
        No file was found; the message says which file to put into which folder.
    ValueError
        The content of a file does not match the SHA-1 in its name.
    """
    folders = _folders(root)
    damaged = ""
    for folder in folders:
        plain = folder / f"{name}.params"
        if plain.is_file():
            return str(plain)
        for found in sorted(folder.glob(f"{name}-*.params")):
            digits = found.stem.removeprefix(f"{name}-")
            if digits and sha1_of(found).startswith(digits.lower()):
                return str(found)
            damaged = f"{found} is damaged: its SHA-1 does not begin with {digits}"
            logging.warning(damaged)
    if damaged:
        raise ValueError(f"{damaged}; replace the file")
    raise FileNotFoundError(_missing(name, folders))


def _missing(name: str, folders: list[Path]) -> str:
    """Return the message that a model has no file: which one to put into which folder."""
    known = _model_sha1.get(name)
    file = f"{name}.params, written by net.save_parameters()"
    if known:
        file += f", or MXNet's {name}-{known[:8]}.params (SHA-1 {known})"
    first, *others = folders
    searched = f"; searched were also {', '.join(map(str, others))}" if others else ""
    return (
        f"no parameters of the model {name!r}, and opforge does not download them: put {file} into "
        f"{first}{searched}"
    )


def purge(root: str | os.PathLike[str] | None = None) -> None:
    """Delete all parameter files in a folder.

    Parameters
    ----------
    root : str, optional
        Default: the folder ``models`` of `OPFORGE_HOME`.
    """
    folder = home_folder("models") if root is None else Path(root).expanduser()
    for found in folder.glob("*.params"):
        found.unlink()


def _folders(root: Any) -> list[Path]:
    """Return the folders to search, in order."""
    if root is not None:
        return [Path(root).expanduser()]
    own = config.get("OPFORGE_MODEL_DIR")
    found = [Path(own).expanduser()] if own else []
    return [*found, home_folder("models"), Path("~/.mxnet/models").expanduser()]
