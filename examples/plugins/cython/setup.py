"""Build the extension modules, one per instruction set; pyproject.toml declares the rest."""

from setuptools import setup

from opforge import build

setup(
    ext_modules=build.extension(
        "opforge_scaled_tanh_cython._native", ["src/opforge_scaled_tanh_cython/_native.pyx"]
    )
)
