"""Build the extension modules, one per instruction set; pyproject.toml declares the rest."""

from pathlib import Path

from setuptools import setup

from opforge import build

SOURCE = Path("src", "opforge_linalg")

setup(
    ext_modules=build.extension(
        "opforge_linalg._native",
        [str(SOURCE / "_native.c")],
        depends=sorted(map(str, SOURCE.glob("kernels/*.h"))),
    )
)
