"""Build the extension modules, one per instruction set; pyproject.toml declares the rest."""

from setuptools import setup

from opforge import build

setup(
    ext_modules=build.extension(
        "opforge_convolution_example._native", ["src/opforge_convolution_example/_native.c"]
    )
)
