"""Downloads of files, archives and models, under MXNet's names."""

import bz2
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, cast

from opforge.base import config
from opforge.base.files import replacing
from opforge.base.unpacking import copy_unpacked, extract_zip, unpack_limit
from opforge.gluon.downloading import fetch

__all__ = [
    "download",
    "download_model",
    "get_bz2_data",
    "get_im2rec_path",
    "get_zip_data",
    "source_url",
]

#: Name of a model in MXNet's programs -> folder and file name prefix in the repository.
_MODELS = {
    "imagenet1k-inception-bn": "imagenet/inception-bn/Inception-BN",
    "imagenet11k-resnet-152": "imagenet-11k/resnet-152/resnet-152",
    "imagenet11k-place365ch-resnet-50": "imagenet-11k-place365-ch/resnet-50",
    "imagenet11k-place365ch-resnet-152": "imagenet-11k-place365-ch/resnet-152",
    "imagenet1k-resnext-50": "imagenet/resnext/50-layers/resnext-50",
    "imagenet1k-resnext-101": "imagenet/resnext/101-layers/resnext-101",
    "imagenet1k-resnext-101-64x4d": "imagenet/resnext/101-layers/resnext-101-64x4d",
} | {
    f"imagenet1k-resnet-{n}": f"imagenet/resnet/{n}-layers/resnet-{n}"
    for n in (18, 34, 50, 101, 152)
}
_EPOCHS = {"imagenet1k-inception-bn": 126}


def source_url(path: str) -> str:
    """Return the URL of one of MXNet's data sets or models, below `OPFORGE_DATA_REPO`."""
    return f"{config.get('OPFORGE_DATA_REPO').rstrip('/')}/{path}"


def download(
    url: str,
    fname: str | None = None,
    dirname: str | None = None,
    overwrite: bool = False,
    retries: int = 5,
) -> str:
    """Download a file unless it exists.

    Parameters
    ----------
    url : str
        As for `gluon.utils.download`.
    fname : str, optional
        File name; None: the name in `url`.
    dirname : str, optional
        Folder of the file, created if missing; None: the folder in `fname`.
    overwrite : bool, default False
        Download the file even if it exists.
    retries : int, default 5
        Number of retries after a failure.

    Returns
    -------
    str
        Path of the downloaded or existing file.

    Raises
    ------
    OpforgeError
        The last attempt failed; the message names the path under which to store the file.
    """
    assert retries >= 0, f"download: retries is {retries}; expected at least 0"
    name = fname or url.rsplit("/", 1)[-1]
    target = os.path.join(dirname, name) if dirname else name
    if os.path.exists(target) and not overwrite:
        logging.info("%s exists; skipping the download", target)
        return target
    fetch(url, target, retries=retries + 1)
    logging.info("Downloaded %s to %s", url, target)
    return target


def download_model(
    model_name: str,
    dst_dir: str = "./",
    meta_info: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[str | None, int]:
    """Download the graph and the parameters of a model.

    Parameters
    ----------
    model_name : str
    dst_dir : str
        Folder for ``NAME-symbol.json`` and ``NAME-0000.params``.
    meta_info : dict of str to dict, optional
        For each model a dict with the URLs ``symbol`` and ``params``; None: MXNet's own models.

    Returns
    -------
    tuple of (str or None, int)
        The file name prefix and the epoch 0, as `model.load_checkpoint` takes them; the prefix is
        None if the model is unknown.
    """
    known = _stock_models() if meta_info is None else meta_info
    if model_name not in known:
        return None, 0
    addresses = known[model_name]
    prefix = os.path.join(dst_dir, model_name)
    download(addresses["symbol"], f"{prefix}-symbol.json")
    download(addresses["params"], f"{prefix}-0000.params")
    return prefix, 0


def _stock_models() -> dict[str, dict[str, str]]:
    return {
        name: {
            "symbol": source_url(f"models/{beginning}-symbol.json"),
            "params": source_url(f"models/{beginning}-{_EPOCHS.get(name, 0):04d}.params"),
        }
        for name, beginning in _MODELS.items()
    }


def get_zip_data(data_dir: str, url: str, data_origin_name: str) -> None:
    """Download a zip archive into a folder and unpack it there, unless the archive exists.

    Parameters
    ----------
    data_dir : str
    url : str
    data_origin_name : str
        Name of the archive.
    """
    archive = os.path.join(data_dir, data_origin_name)
    if not os.path.exists(archive):
        download(url, archive)
        try:
            extract_zip(archive, data_dir)
        except BaseException:
            # The next call would assume that an existing archive has been unpacked.
            os.remove(archive)
            raise


def get_bz2_data(data_dir: str, data_name: str, url: str, data_origin_name: str) -> None:
    """Download and unpack a bz2 file, unless the unpacked file exists.

    Parameters
    ----------
    data_dir : str
    data_name : str
        Name of the unpacked file.
    url : str
    data_origin_name : str
        Name of the compressed file, which is removed afterwards.
    """
    target = Path(data_dir, data_name)
    if target.exists():
        return
    packed = download(url, data_origin_name, data_dir)
    with bz2.open(packed) as source, replacing(target) as unpacked:
        copy_unpacked(cast(IO[bytes], source), unpacked, packed, unpack_limit())
    os.remove(packed)


def get_im2rec_path(home_env: str = "MXNET_HOME") -> str:
    """Return the path of ``tools/im2rec.py`` in a source folder of MXNet.

    Parameters
    ----------
    home_env : str
        Environment variable with the path of that folder; if unset, the current folder is used.

    Raises
    ------
    OSError
        The file does not exist; the message has the path.
    """
    tool = Path(os.environ.get(home_env, "."), "tools", "im2rec.py")
    if not tool.is_file():
        raise OSError(
            f"{tool} does not exist; set {home_env} to an MXNet folder that has tools/im2rec.py"
        )
    return str(tool)
