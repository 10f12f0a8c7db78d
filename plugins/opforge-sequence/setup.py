"""The extension modules, one for each instruction set; the rest is declared in pyproject.toml."""

from pathlib import Path

from setuptools import setup

from opforge import build

SOURCE = Path("src", "opforge_sequence")

setup(
    ext_modules=build.extension(
        "opforge_sequence._native",
        [str(SOURCE / "_native.c")],
        depends=sorted(map(str, SOURCE.glob("kernels/*.h"))),
    )
)
