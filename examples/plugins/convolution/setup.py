"""The extension modules, one for each instruction set; the rest is declared in pyproject.toml."""

from setuptools import setup

from opforge import build

setup(
    ext_modules=build.extension(
        "opforge_convolution_example._native", ["src/opforge_convolution_example/_native.c"]
    )
)
