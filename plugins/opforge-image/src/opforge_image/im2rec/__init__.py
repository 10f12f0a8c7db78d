"""The command `im2rec`: lists of the images in a folder, and record files of lists.

Options, lists, records and indices are those of MXNet's ``tools/im2rec.py``.
"""

from .command import main as main

__all__ = ["main"]
