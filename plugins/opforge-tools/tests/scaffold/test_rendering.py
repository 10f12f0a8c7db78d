import ast
import re
import subprocess
import sys
import textwrap
import tomllib
from itertools import chain

import pytest
from opforge_tools.scaffold.contribution import OPERATORS
from opforge_tools.scaffold.project import KINDS, Project
from opforge_tools.scaffold.rendering import TEMPLATES, render

from opforge.base.errors import ScaffoldError
from opforge.op.registry.kinds import KINDS as NOUNS


@pytest.fixture(
    scope="module", params=[*((kind, 0) for kind in KINDS), *((kind, 1) for kind in OPERATORS)]
)
def made(request):
    kind, layer = request.param
    project = Project("opforge-hard-swish", kind, bool(layer))
    return project, render(project)


def module_of(project):
    """Return the module of what a project was made with."""
    kind = NOUNS[project.main.noun]
    return project.main.snake if kind.is_module else kind.plural


def test_a_project_is_complete(made):
    project, files = made
    package = "src/opforge_hard_swish"
    wanted = {
        *(".gitignore", ".github/workflows/tests.yml", "LICENSE", "README.md", "docs/index.md"),
        *("pyproject.toml", "tests/test_battery.py", "tox.ini"),
        *(f"{package}/{name}" for name in ("__init__.py", "py.typed")),
    }
    module = module_of(project)
    wanted |= {f"tests/test_{module}.py", f"{package}/{module}.py"}
    assert (f"{package}/checks.py" in files) == (project.main.noun == "operator")
    layer = {f"{package}/layers.py", "tests/test_layers.py"}
    assert wanted <= set(files)
    assert layer <= set(files) if project.layer else not layer & set(files)
    assert not [name for name in files if "{" in name or name.endswith(".jinja")]


def test_everything_was_filled_in(made):
    _, files = made
    for name, text in files.items():
        left = re.findall(r"\{%.*|(?<!\$)\{\{.*", text)
        assert not left, f"{name}: {left}"
        assert text == "" or (text.endswith("\n") and not text.endswith("\n\n")), name
        assert not [line for line in text.splitlines() if line != line.rstrip()], name


def test_entry_points(made):
    project, files = made
    table = tomllib.loads(files["pyproject.toml"])["project"]
    assert table["name"] == "opforge-hard-swish"
    numba = ["numba"] if project.kind == "numba" else []
    assert [word.partition(">=")[0] for word in table["dependencies"]] == [*numba, "opforge"]
    wanted = {
        "opforge": {"hard_swish": "opforge_hard_swish"},
        project.main.group: {
            project.main.registered: f"opforge_hard_swish.{module_of(project)}"
            + ("" if project.kind == "module" else f":{project.main.object}")
        },
    }
    if project.layer:
        wanted["opforge.layers"] = {"HardSwish": "opforge_hard_swish.layers:HardSwish"}
    assert table["entry-points"] == wanted


def test_python_files(made):
    _, files = made
    for name, text in files.items():
        if not name.endswith(".py"):
            continue
        tree = ast.parse(text)
        assert ast.get_docstring(tree), name
        assert all(len(line) <= 100 for line in text.splitlines()), name
        if name.startswith("src/"):
            found = {
                node.module
                for node in tree.body
                if isinstance(node, ast.ImportFrom) and not node.level
            }
            assert {m for m in found if m.startswith("opforge")} <= {"opforge.plugin_api"}, name


def test_the_workflow_asks_no_index_for_opforge(made, tmp_path):
    _, files = made
    workflow = files[".github/workflows/tests.yml"]
    script = textwrap.dedent(re.search(r"run: \|\n((?: {10}.*\n)+)", workflow).group(1))
    pip = tmp_path / "pip"
    pip.write_text('#!/bin/sh\necho "pip $@"\n')
    pip.chmod(0o755)
    paths = {"GITHUB_ENV": str(tmp_path / "env"), "RUNNER_TEMP": "/run"}
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", **paths}
    missing = subprocess.run(["bash", "-ec", script], env=env, capture_output=True, text=True)
    assert missing.returncode == 1
    assert missing.stdout.startswith("::error::The repository variable OPFORGE is not set")
    given = {**env, "OPFORGE": "git+https://acme/opforge"}
    done = subprocess.run(["bash", "-ec", script], env=given, capture_output=True, text=True)
    assert done.stdout == "pip wheel --no-deps --wheel-dir /run/wheels git+https://acme/opforge\n"
    assert (tmp_path / "env").read_text() == "PIP_FIND_LINKS=/run/wheels\n"


def test_without_copier(monkeypatch):
    monkeypatch.setitem(sys.modules, "copier", None)
    with pytest.raises(ScaffoldError, match=r"needs copier.*pip install 'opforge\[new\]'"):
        render(Project("acme"))


def test_each_kind_has_its_templates():
    assert {path.name for path in TEMPLATES.iterdir()} == {
        "common",
        "layer",
        *chain.from_iterable(KINDS.values()),
    }


def test_a_project_of_everything():
    project = Project("acme-all")
    for kind in ("composed", "kernel"):
        project = project.with_contribution(kind, f"acme_{kind}")
    for noun in set(KINDS) - set(OPERATORS):
        project = project.with_contribution(noun)
    files = render(project)
    points = tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]
    assert len(points.pop("opforge.ops")) == 3
    assert len(points) == 1 + len(KINDS) - len(OPERATORS)
    assert len(ast.parse(files["src/acme_all/__init__.py"]).body) == 1, "entry points suffice"
    assert files["src/acme_all/checks.py"].count('"reference": reference') == 3


def test_the_readme_shows_the_contribution(made):
    project, files = made
    text = files["README.md"]
    example = re.search(r"```python\n(.*?)\n\n```", text, re.DOTALL).group(1)
    assert project.main.registered in example or project.main.class_name in example
    assert "\n\n\n" not in text
