"""The folder of downloaded data, under the names that MXNet's `base` has for it."""

import os

from . import config

__all__ = ["data_dir", "data_dir_default"]


def data_dir() -> str:
    """Return the folder for downloaded models and data sets, `OPFORGE_HOME`."""
    return os.path.expanduser(config.get("OPFORGE_HOME"))


def data_dir_default() -> str:
    """Return the folder that `data_dir` returns unless the environment names another."""
    return os.path.expanduser(config.SWITCHES["OPFORGE_HOME"].default)
