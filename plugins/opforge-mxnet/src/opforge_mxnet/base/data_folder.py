"""Folder of downloaded data, under the names of MXNet's `base`."""

import os

from opforge.base import config

__all__ = ["data_dir", "data_dir_default"]


def data_dir() -> str:
    """Return the folder of downloaded models and data sets, `OPFORGE_HOME`."""
    return os.path.expanduser(config.get("OPFORGE_HOME"))


def data_dir_default() -> str:
    """Return the default of `data_dir`."""
    return os.path.expanduser(config.SWITCHES["OPFORGE_HOME"].default)
