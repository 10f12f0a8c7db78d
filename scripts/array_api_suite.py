"""Run the public test suite of the array API standard on `opforge.array_api`.

    python scripts/array_api_suite.py CHECKOUT [OPTIONS OF PYTEST]

CHECKOUT is a clone of https://github.com/data-apis/array-api-tests with its submodule; the suite is
not on PyPI. ``tox -e array-api -- CHECKOUT`` installs what it needs. It runs on a copy, changed so
that it can be imported without complex numbers. The tests to skip and the expected failures are
listed in plugins/opforge-numpy/tests/array_api.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LISTS = ROOT / "plugins" / "opforge-numpy" / "tests" / "array_api"
#: Lines of the suite that fail on import if a namespace has no complex types: file, text, new text.
CHANGES = (
    (
        "dtype_helpers.py",
        "[(dt, dtype_nbits[dt]) for dt in complex_dtypes], key=lambda x: x[1]\n",
        "[(dt, dtype_nbits[dt]) for dt in complex_dtypes], key=lambda x: x[1], default=(None, 0)\n",
    ),
    (
        "test_signatures.py",
        "dh.dtype_to_name[dh.widest_complex_dtype]",
        'dh.dtype_to_name.get(dh.widest_complex_dtype, "complex128")',
    ),
)
SETTINGS = {
    "ARRAY_API_TESTS_MODULE": "opforge.array_api",
    "ARRAY_API_TESTS_SKIP_DTYPES": "complex64,complex128",
}


def copy_suite(checkout: Path, folder: Path) -> Path:
    """Copy the suite into a folder, with `CHANGES`; return the copy."""
    specification = checkout / "array-api" / "src" / "array_api_stubs"
    if not specification.is_dir():
        raise SystemExit(
            f"{checkout} is not a clone of array-api-tests with its submodule: there is no "
            f"{specification}. Run: git clone --recurse-submodules "
            "https://github.com/data-apis/array-api-tests"
        )
    copy = folder / "suite"
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    for name, text, new in CHANGES:
        path = copy / "array_api_tests" / name
        path.write_text(path.read_text(encoding="utf-8").replace(text, new), encoding="utf-8")
    return copy


def main(arguments: list[str]) -> int:
    """Return the status of pytest."""
    if not arguments:
        raise SystemExit(__doc__)
    options = [
        *("-c", "pytest.ini", "-p", "no:cacheprovider", "-o", "xfail_strict=True"),
        f"--skips-file={LISTS / 'skips.txt'}",
        f"--xfails-file={LISTS / 'expected_failures.txt'}",
        "--disable-deadline",
        *arguments[1:],
    ]
    with tempfile.TemporaryDirectory() as folder:
        suite = copy_suite(Path(arguments[0]).resolve(), Path(folder))
        if not any(word.startswith("array_api_tests") for word in options):
            options.append("array_api_tests")
        command = [sys.executable, "-m", "pytest", *options]
        return subprocess.run(
            command, cwd=suite, env={**os.environ, **SETTINGS}, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
