"""Shell completion of arguments: names of contributions, plugins, kinds and files."""

import subprocess
import sys

import pytest

from opforge.cli.commands import completion

COMPLETE = """
import sys
from opforge.cli.app import app

try:
    app(prog_name="opforge")
finally:
    names = {module.partition(".")[0] for module in sys.modules}
    # The package of the completed command may be loaded.
    bad = sorted(n for n in names if n.startswith("opforge_") and n != "opforge_tools")
    print("LOADED", bad + ["numpy"] * ("numpy" in names))
"""


@pytest.mark.plugins
@pytest.mark.parametrize(
    ("typed", "expected", "absent"),
    [
        ("ops show softm", "softmax", "sigmoid"),
        ("ops show Den", "Dense", "softmax"),
        ("ops why broadcast_a", "broadcast_add", "softmax"),
        ("plugins show opforge-den", "opforge-dense", "opforge-tile"),
        ("plugins pin soft", "softmax", "dense"),
        ("check opforge-den", "opforge-dense", "opforge-tile"),
    ],
)
def test_shells_complete_names(monkeypatch, tmp_path, typed, expected, absent):
    monkeypatch.setenv("_OPFORGE_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"opforge {typed}")
    done = subprocess.run(
        [sys.executable, "-c", COMPLETE], capture_output=True, text=True, cwd=tmp_path
    )
    assert f'"{expected}"' in done.stdout, done.stderr
    assert f'"{absent}"' not in done.stdout
    assert done.stdout.endswith("LOADED []\n"), done.stdout[-300:]


def test_hidden_names_need_their_underscore():
    names = [name for name, _ in completion.complete_contribution("")]
    assert names
    assert not [name for name in names if name.startswith("_")]
    assert all(name.startswith("_") for name, _ in completion.complete_contribution("_"))


def test_checks_take_files(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    (tmp_path / "mine.txt").write_text("")
    (tmp_path / "minor").mkdir()
    (tmp_path / "minor" / "inner.py").write_text("")
    assert completion.complete_target("min") == ["mine.py", "minor/"]
    assert completion.complete_target("minor/i") == ["minor/inner.py"]
    assert completion.complete_target("none/i") == []
