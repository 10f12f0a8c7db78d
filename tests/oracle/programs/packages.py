"""Packages of the tests' environment, for an interpreter that has none of them."""

import os
import sys


def make_importable(name, root, folder):
    """Let a package be imported from its folder `root`, without the packages beside it."""
    link = os.path.join(folder, name)
    if not os.path.exists(link):
        os.symlink(root, link)
    sys.path.insert(0, folder)
