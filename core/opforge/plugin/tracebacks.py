"""Tracebacks of a plugin's own code, without the frames of what imported it."""

import os
import traceback

__all__ = ["last_line", "plugin_traceback"]


def last_line(error: BaseException) -> str:
    """Return the type and the text of an error, in one line."""
    return "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]


def plugin_traceback(error: BaseException) -> str:
    """Return the traceback from the plugin's own first line on; without one, the error alone."""
    frames = error.__traceback__
    while frames is not None and _is_ours(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames)).rstrip()


def _is_ours(filename: str) -> bool:
    """Return True for a frame of the machinery of loading."""
    folder = os.path.dirname(filename)
    return (
        filename.startswith("<frozen importlib")
        or folder == os.path.dirname(__file__)
        or os.path.basename(folder) in ("importlib", "pluggy")
    )
