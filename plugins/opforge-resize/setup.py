"""The extension modules, one for each instruction set; the rest is declared in pyproject.toml."""

from pathlib import Path

from setuptools import setup

from opforge import build

SOURCE = Path("src", "opforge_resize")

setup(
    ext_modules=build.extension(
        "opforge_resize._native",
        [str(SOURCE / "_native.c")],
        depends=sorted(map(str, SOURCE.glob("kernels/*.h"))),
    )
)
