"""The example plugins build, install and pass their own tests: C by both ways, Cython, Numba."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "plugins"
#: What an example needs to be built or run.
NEEDS = {"c": "setuptools", "cython": "Cython", "numba": "numba"}
QUIET = ("--no-build-isolation", "--no-deps", "--no-index", "--quiet")


def run(*command, folder, path):
    """Run this Python where the packages of `path` are importable."""
    path = os.pathsep.join(filter(None, [str(path), os.environ.get("PYTHONPATH", "")]))
    env = {**os.environ, "PYTHONPATH": path, "OPFORGE_PROBE": "0"}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", NEEDS)
def test_an_example_installs_and_passes_its_tests(kind, tmp_path):
    if importlib.util.find_spec(NEEDS[kind]) is None:
        pytest.skip(f"{NEEDS[kind]} is not installed")
    source, site = tmp_path / kind, tmp_path / "site"
    shutil.copytree(EXAMPLES / kind, source)
    run(sys.executable, "-m", "pip", "install", *QUIET, "--target", site, source,
        folder=tmp_path, path="")  # fmt: skip
    # In one process: Numba compiles at each import.
    code = (
        "import contextlib, sys, pytest\n"
        "from opforge.cli import main\n"
        "sys.argv = ['opforge', 'plugins', '--check']\n"
        "with contextlib.suppress(SystemExit): main()\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(source / 'tests')!r}]))"
    )
    shown = run(sys.executable, "-c", code, folder=tmp_path, path=site)
    row = next(line for line in shown.splitlines() if f"opforge-scaled-tanh-{kind[:4]}" in line)
    assert " loaded" in row, shown
    assert "6 passed" in shown


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "file"), [("c", "_native.c"), ("cython", "_native.pyx")])
def test_the_source_archive_has_what_is_compiled(kind, file, tmp_path):
    source = tmp_path / kind
    shutil.copytree(EXAMPLES / kind, source)
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, source,
        folder=tmp_path, path="")  # fmt: skip
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as found:
        assert [name for name in found.getnames() if name.endswith(f"/{file}")]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_the_c_example_is_built_by_make(tmp_path):
    source = tmp_path / "c"
    shutil.copytree(EXAMPLES / "c", source)
    run("make", f"PYTHON={sys.executable}", folder=source, path="")
    code = (
        "from opforge import nd\n"
        "from opforge.operator import register\n"
        "from opforge_scaled_tanh_c.operators import ScaledTanh\n"
        "register('scaled_tanh')(ScaledTanh)\n"
        "print(nd.scaled_tanh(nd.zeros((2,))).asnumpy())"
    )
    assert run(sys.executable, "-c", code, folder=tmp_path, path=source / "src") == "[0. 0.]\n"
    run("make", "clean", f"PYTHON={sys.executable}", folder=source, path="")
    assert not list(source.glob("src/*/*.so"))


def test_the_examples_have_one_test():
    """The same operator three times: what one promises, all promise."""
    texts = {(EXAMPLES / kind / "tests" / "test_scaled_tanh.py").read_text() for kind in NEEDS}
    assert len(texts) == 1
