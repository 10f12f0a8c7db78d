"""Files of a network: ``prefix-symbol.json`` and ``prefix-0001.params``, in MXNet's format."""

import logging
from collections.abc import Mapping
from typing import Any

from .. import ndarray as nd
from .. import symbol as sym
from ..base.context import cpu
from ..base.errors import OpforgeError
from ..base.files import replacing_together
from ..ndarray import NDArray

__all__ = [
    "load_checkpoint",
    "load_params",
    "read_params",
    "save_checkpoint",
    "write_params",
]

_Arrays = dict[str, NDArray]


def save_checkpoint(
    prefix: str,
    epoch: int,
    symbol: Any,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Write a network and its parameters; files are replaced once all are written.

    Parameters
    ----------
    prefix : str
        Start of the file names, optionally with a folder.
    epoch : int
        Part of the name of the parameter file.
    symbol : Symbol or None
        None writes only the parameters.
    arg_params, aux_params : dict of str to NDArray
    remove_amp_cast : bool, default True
        See `Symbol.save`.

    Examples
    --------
    >>> import tempfile
    >>> from opforge import nd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(f"{folder}/net", 3, None, {"w": nd.ones((2,))}, {})
    ...     load_params(f"{folder}/net", 3)[0]["w"].shape
    (2,)
    """
    path = _params_path(prefix, epoch)
    with replacing_together():
        if symbol is not None:
            symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
        write_params(path, arg_params, aux_params)
    logging.info('Saved checkpoint to "%s"', path)


def load_params(prefix: str, epoch: int) -> tuple[_Arrays, _Arrays]:
    """Read the parameters of a checkpoint.

    Parameters
    ----------
    prefix : str
    epoch : int

    Returns
    -------
    tuple of two dict of str to NDArray
        Arguments and auxiliary states.

    Raises
    ------
    OpforgeError
        The file is damaged, or its array names are not those of a checkpoint.
    FileNotFoundError
        The file does not exist.
    """
    return read_params(_params_path(prefix, epoch))


def load_checkpoint(prefix: str, epoch: int) -> tuple[Any, _Arrays, _Arrays]:
    """Read a checkpoint written by `save_checkpoint` or by MXNet.

    Parameters
    ----------
    prefix, epoch
        As in `save_checkpoint`.

    Returns
    -------
    tuple of Symbol, dict of str to NDArray, dict of str to NDArray
        The network, its arguments and its auxiliary states.

    Raises
    ------
    OpforgeError, FileNotFoundError
        See `load_params`.
    """
    return sym.load(f"{prefix}-symbol.json"), *load_params(prefix, epoch)


def write_params(
    path: str, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
) -> None:
    """Write parameters to a file, like `save_checkpoint`.

    Parameters
    ----------
    path : str
    arg_params, aux_params : dict of str to NDArray
    """
    arrays = {f"arg:{name}": value.as_in_context(cpu()) for name, value in arg_params.items()}
    arrays |= {f"aux:{name}": value.as_in_context(cpu()) for name, value in aux_params.items()}
    nd.save(path, arrays)


def read_params(path: str) -> tuple[_Arrays, _Arrays]:
    """Read a file written by `write_params`; see `load_params`."""
    arrays = nd.load(path)
    if not arrays:
        logging.warning("Params file '%s' is empty", path)
        return {}, {}
    found: dict[str, _Arrays] = {"arg": {}, "aux": {}}
    for key in arrays:
        kind, colon, name = key.partition(":") if isinstance(key, str) else ("", "", "")
        if not colon:
            raise OpforgeError(
                f"load_params: {path} is not a checkpoint: got {_key_text(key)}; expected names "
                "like 'arg:NAME' or 'aux:NAME'. Read it with nd.load or Block.load_parameters"
            )
        if kind in found:
            found[kind][name] = arrays[key]
    return found["arg"], found["aux"]


def _key_text(key: Any) -> str:
    return f"the array name {key!r}" if isinstance(key, str) else "arrays without names"


def _params_path(prefix: str, epoch: int) -> str:
    return f"{prefix}-{epoch:04d}.params"
