"""Command `im2rec`: creates lists of the images in a folder, and record files from lists.

Options, lists, records and indices match MXNet's ``tools/im2rec.py``.
"""

from .command import main as main

__all__ = ["main"]
