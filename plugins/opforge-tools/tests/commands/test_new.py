import sys

import pytest
from opforge_tools.scaffold.record import RECORD
from typer.testing import CliRunner

from opforge.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["new", *map(str, arguments)])


@pytest.mark.parametrize(
    ("typed", "expected", "absent"), [("num", "numpy", "optimizer"), ("opt", "optimizer", "numpy")]
)
def test_shells_complete_kinds(monkeypatch, typed, expected, absent):
    monkeypatch.setenv("_OPFORGE_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"opforge new --kind {typed}")
    text = CliRunner().invoke(app, [], prog_name="opforge").stdout
    assert f'"{expected}"' in text and f'"{absent}"' not in text


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "my project"
    done = run("opforge-swish", "--kind", "composed", "--layer", "--output", folder)
    assert done.exit_code == 0, done.output
    return folder


def test_created_files_and_next_steps_are_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("acme-swish", "--layer", "--operator", "swish")
    assert done.exit_code == 0, done.output
    assert "Created acme-swish with the operator swish and the layer Swish." in done.output
    for command in ("cd acme-swish", "pip install -e '.[tests]'", "opforge check acme-swish"):
        assert command in done.output.splitlines() or f"  {command}" in done.output.splitlines()
    assert (tmp_path / "acme-swish/src/acme_swish/operators.py").is_file()
    for file in ("operators.py", "checks.py", "layers.py"):
        assert f"  [ ] src/acme_swish/{file}: " in done.output
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert (tmp_path / "acme-swish" / RECORD).is_file()


def test_names_that_are_taken_are_warned_of(tmp_path, monkeypatch, only_plugin, fake_dist):
    only_plugin("opforge-tools")
    fake_dist("acme-good", operators={"acme_shift": "acme_good:Shift"})
    monkeypatch.chdir(tmp_path)
    done = run("acme-good", "--operator", "acme_shift")
    assert "warning: acme-good 1.0 is installed here" in done.stderr
    done = run("acme-swish", "--operator", "acme_shift")
    assert (done.exit_code, done.stderr.count("warning: ")) == (0, 1)
    assert "the operator 'acme_shift' is already provided by acme-good 1.0" in done.stderr


def test_a_missing_compiler_is_warned_of_before_the_project_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda command, **_: None)
    done = run("acme-swish", "--kind", "native-c", "--output", tmp_path / "made")
    assert done.exit_code == 0, done.output
    assert "warning: no C compiler was found" in done.stderr
    assert done.output.index("no C compiler was found") < done.output.index("Created ")


def test_update(project):
    done = run("--update", project)
    assert (done.exit_code, done.output) == (0, f"{project} is up to date with the templates.\n")


def test_add(project):
    done = run("--add", "optimizer", "--operator", "AdaBelief", "--output", project)
    assert done.exit_code == 0, done.output
    for line in ("src/opforge_swish/optimizers.py: added", "pyproject.toml: changed"):
        assert line in done.output.splitlines()
    text = (project / "pyproject.toml").read_text()
    assert 'AdaBelief = "opforge_swish.optimizers:AdaBelief"' in text
    taken = run("--add", "metric", "--operator", "Accuracy", "--output", project)
    assert (taken.exit_code, "the core's own metrics" in taken.stderr) == (1, True)


def test_update_shows_conflicts(project):
    # As if the templates had said something else when the project was made.
    for path in (project / "tox.ini", project / RECORD):
        path.write_text(path.read_text().replace("py311, py312", "py310, py311"))
    (project / "tox.ini").write_text((project / "tox.ini").read_text().replace("py310", "py39"))
    done = run("--update", project)
    assert done.exit_code == 1
    assert "tox.ini: CONFLICT" in done.stdout
    assert "Resolve the conflicts in tox.ini" in done.stderr
    assert "<<<<<<< yours" in (project / "tox.ini").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "exactly one of NAME"),
        (["acme", "--update", "."], "exactly one of NAME"),
        (["acme", "--add", "metric"], "exactly one of NAME"),
        (["acme", "--kind", "optimizer", "--layer"], "a layer wraps an operator"),
        (["acme-adam", "--kind", "optimizer", "--operator", "Adam"], "the core's own optimizers"),
        (["--add", "metric"], "does not exist"),
        (["acme", "--kind", "cuda"], "the kind is 'cuda'"),
        (["--update", "."], "does not exist"),
        (["opforge-exp"], "'exp' is one of the core's own operators"),
    ],
)
def test_mistakes(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 1
    assert words in done.stderr
    assert not list(tmp_path.iterdir())


def test_without_copier(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "copier", None)
    done = run("acme")
    assert done.exit_code == 1
    assert "pip install 'opforge[new]'" in done.stderr
    assert not list(tmp_path.iterdir())
