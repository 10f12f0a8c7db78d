"""Files in the formats that MXNet's example programs and tutorials read.

All numbers, pictures and words are drawn from generators with fixed seeds. Each module has makers:
functions that take a generator, and yield paths and contents. A program that downloads .../NAME
gets the file of this name, in whichever folder it is; home is a home folder with data sets.
"""

import importlib
import pkgutil
from pathlib import Path

import numpy as np


def make_files(folder: Path) -> None:
    """Write the files of all modules below `folder`."""
    for module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        for maker in getattr(importlib.import_module(f"made_up.{module}"), "MAKERS", ()):
            for name, content in maker(np.random.RandomState(0)):
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
