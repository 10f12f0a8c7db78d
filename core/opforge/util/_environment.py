"""Environment variables and folders."""

import os

__all__ = ["getenv", "makedirs", "setenv"]


def getenv(name: str) -> str | None:
    """Return an environment variable; None where it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable; None removes it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def makedirs(d: str) -> None:
    """Make a folder and those above it, unless they are there; ``~`` is the user's folder."""
    os.makedirs(os.path.expanduser(d), exist_ok=True)
