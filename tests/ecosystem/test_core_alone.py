"""The core and its unit tests need no plugin."""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: What the tests of the command line and of the discovery of plugins read, and no plugin.
COPIED = (
    "conftest.py",
    "pyproject.toml",
    "tests/unit/cli",
    "tests/unit/plugin",
    "tests/fixtures",
    "scripts",
)


def test_it_is_the_core_alone(bare):
    code = (
        "import opforge; from importlib.metadata import entry_points\n"
        "print(opforge.__file__, sorted(entry_points(group='opforge')))"
    )
    path, plugins = bare.python(code).split(maxsplit=1)
    assert Path(path).is_relative_to(bare.folder)
    assert plugins == "[]\n"


def test_tests_pass_in_a_checkout_that_was_never_built_in(bare, tmp_path):
    """Builds leave metadata in the source folders of plugins, which would make them visible."""
    for name in COPIED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    options = ["-q", "-p", "no:cacheprovider", "--part=core", "--rootdir", tmp_path]
    done = bare.run("python", "-m", "pytest", *options, tmp_path / "tests" / "unit")
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 300
    # No test is skipped because a plugin is missing.
    assert "opforge-" not in done.stdout
