"""Loggers with short lines: level letter, time, location, message."""

import logging
import sys
import warnings
from logging import CRITICAL as CRITICAL
from logging import DEBUG as DEBUG
from logging import ERROR as ERROR
from logging import INFO as INFO
from logging import NOTSET as NOTSET
from logging import WARNING as WARNING

__all__ = [
    "CRITICAL",
    "DEBUG",
    "ERROR",
    "INFO",
    "NOTSET",
    "WARNING",
    "getLogger",
    "get_logger",
]

_RED, _GREEN, _BLUE, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[34m", "\x1b[0m"


class _Formatter(logging.Formatter):
    """Formatter of lines that start with the level's first letter, colored on terminals."""

    def __init__(self, is_coloured: bool) -> None:
        super().__init__(datefmt="%m%d %H:%M:%S")
        self._is_coloured = is_coloured

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for one record."""
        place = f"{record.pathname}:{record.funcName}:{record.lineno}"
        head = f"{self._letter(record)}{self.formatTime(record, self.datefmt)} {record.process}"
        head = f"{head} {place}]"
        if self._is_coloured:
            head = f"{self._colour(record.levelno)}{head}{_PLAIN}"
        lines = [f"{head} {record.getMessage()}"]
        if record.exc_info:
            lines.append(self.formatException(record.exc_info))
        return "\n".join(lines)

    @staticmethod
    def _letter(record: logging.LogRecord) -> str:
        known = (CRITICAL, ERROR, WARNING, INFO, DEBUG)
        return record.levelname[0] if record.levelno in known else "U"

    @staticmethod
    def _colour(level: int) -> str:
        if level >= WARNING:
            return _RED
        return _GREEN if level >= INFO else _BLUE


def get_logger(
    name: str | None = None,
    filename: str | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """Return a logger that writes to a file or to standard error.

    Parameters
    ----------
    name : str, optional
        None: the unmodified root logger. Loggers that already exist are returned unchanged.
    filename : str, optional
        File to write to; None: standard error, colored if it is a terminal.
    filemode : str, default "a"
        How to open the file.
    level : int, default WARNING
        Messages of lower levels are dropped.

    Examples
    --------
    >>> get_logger("opforge.example", level=INFO).level == INFO
    True
    """
    logger = logging.getLogger(name)
    if name is None or any(isinstance(h.formatter, _Formatter) for h in logger.handlers):
        return logger
    handler: logging.Handler
    if filename:
        handler = logging.FileHandler(filename, filemode or "a")
        handler.setFormatter(_Formatter(is_coloured=False))
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(_Formatter(is_coloured=sys.stderr.isatty()))
    logger.addHandler(handler)
    logger.setLevel(level)
    return logger


def getLogger(
    name: str | None = None,
    filename: str | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """Return a logger. Deprecated: use `get_logger`."""
    warnings.warn(
        "getLogger is deprecated, use get_logger instead.", DeprecationWarning, stacklevel=2
    )
    return get_logger(name, filename, filemode, level)
