"""The extension module; everything else is declared in pyproject.toml."""

from Cython.Build import cythonize
from setuptools import Extension, setup

import opforge

native = Extension(
    "opforge_scaled_tanh_cython._native",
    ["src/opforge_scaled_tanh_cython/_native.pyx"],
    include_dirs=[opforge.get_include()],
    extra_compile_args=["-O3", "-fno-math-errno"],
)
setup(ext_modules=cythonize([native], include_path=[opforge.get_include()], language_level=3))
