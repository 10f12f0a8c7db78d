"""Build of opforge's Cython core; everything else is declared in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).parent / "core"))

from _build.extensions import BuildExtensions, extensions

setup(ext_modules=extensions(), cmdclass={"build_ext": BuildExtensions})
