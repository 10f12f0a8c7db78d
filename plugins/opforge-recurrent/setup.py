"""The extension modules, one for each instruction set; the rest is declared in pyproject.toml."""

from glob import glob

from setuptools import setup

from opforge import build

PACKAGE = "src/opforge_recurrent"

setup(
    ext_modules=build.extension(
        "opforge_recurrent._native",
        sorted(glob(f"{PACKAGE}/native/*.c") + glob(f"{PACKAGE}/kernels/*.c")),
        depends=glob(f"{PACKAGE}/**/*.h", recursive=True),
        include_dirs=[PACKAGE],
        # Functions are shared between the files of the module only.
        extra_compile_args=["-fvisibility=hidden"],
    )
)
