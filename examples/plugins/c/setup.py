"""The extension module; everything else is declared in pyproject.toml."""

from setuptools import Extension, setup

import opforge

setup(
    ext_modules=[
        Extension(
            "opforge_scaled_tanh_c._native",
            ["src/opforge_scaled_tanh_c/_native.c"],
            include_dirs=[opforge.get_include()],
            extra_compile_args=["-O3", "-fno-math-errno"],
        )
    ]
)
