"""The extension modules, one for each instruction set; the rest is declared in pyproject.toml."""

from glob import glob

from setuptools import setup

from opforge import build

PACKAGE = "src/opforge_detection"

setup(
    ext_modules=build.extension(
        "opforge_detection._native",
        sorted(glob(f"{PACKAGE}/native/*.c")),
        depends=glob(f"{PACKAGE}/**/*.h", recursive=True),
        include_dirs=[PACKAGE],
        extra_compile_args=[
            # The files of the module see each other's functions, nobody else does.
            "-fvisibility=hidden",
            # Which of two boxes is suppressed must not depend on how products are rounded here.
            "-ffp-contract=off",
        ],
    )
)
