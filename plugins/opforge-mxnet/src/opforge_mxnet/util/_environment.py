"""Environment variables and folders."""

import os

__all__ = ["getenv", "makedirs", "setenv"]


def getenv(name: str) -> str | None:
    """Return an environment variable, or None if it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable, or remove it if `value` is None."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def makedirs(d: str) -> None:
    """Create a folder and its parents if they do not exist; ``~`` is the user's home folder."""
    os.makedirs(os.path.expanduser(d), exist_ok=True)
