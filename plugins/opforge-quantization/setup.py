"""The extension modules, one for each instruction set; the rest is declared in pyproject.toml."""

from glob import glob

from setuptools import setup

from opforge import build

PACKAGE = "src/opforge_quantization"

setup(
    ext_modules=build.extension(
        "opforge_quantization._native",
        sorted(glob(f"{PACKAGE}/native/*.c") + glob(f"{PACKAGE}/kernels/*.c")),
        depends=glob(f"{PACKAGE}/**/*.h", recursive=True),
        include_dirs=[PACKAGE],
        # Functions are shared between the files of the module only. Without fused operations,
        # rounding to integers is the same for all instruction sets.
        extra_compile_args=["-fvisibility=hidden", "-ffp-contract=off"],
    )
)
