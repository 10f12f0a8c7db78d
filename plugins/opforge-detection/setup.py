"""Build the extension modules, one per instruction set; pyproject.toml declares the rest."""

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
            # Functions are visible to the files of the module only.
            "-fvisibility=hidden",
            # Suppression must not depend on fused multiplications and additions.
            "-ffp-contract=off",
        ],
    )
)
