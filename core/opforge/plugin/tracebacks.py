"""Tracebacks of a plugin's code, without the frames of the import machinery."""

import os
import traceback

__all__ = ["last_line", "plugin_traceback"]


def last_line(error: BaseException) -> str:
    """Return the type and message of an error in one line."""
    return "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]


def plugin_traceback(error: BaseException) -> str:
    """Return the traceback from the plugin's first frame on; without one, only the error."""
    frames = error.__traceback__
    while frames is not None and _is_ours(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()


def _is_ours(filename: str) -> bool:
    """Return whether a frame belongs to the import machinery."""
    folder = os.path.dirname(filename)
    return (
        filename.startswith("<frozen importlib")
        or folder == os.path.dirname(__file__)
        or os.path.basename(folder) in ("importlib", "pluggy")
    )
