"""Tests of the checklist of a new project."""

import re

import pytest
from opforge_tools.scaffold import Project, add, create
from opforge_tools.scaffold.checklist import CHECKLIST, read_checklist

#: One of each form of the list.
FORMS = ("numpy", "composed", "native-c", "native-cython", "numba", "metric", "module")


@pytest.mark.parametrize("kind", FORMS)
def test_it_names_files_that_are_there_and_everything_that_has_the_example(tmp_path, kind):
    layer = kind in ("numpy", "native-c")
    files = create(Project("acme-swish", kind, layer), tmp_path)
    steps = read_checklist(tmp_path)
    named = {step.partition(":")[0] for step in steps}
    assert {name for name in named if re.search(r"[./]", name)} <= set(files)
    code = {name for name in files if name.startswith(("src/", "tests/", "docs/"))}
    generated = {"py.typed", "__init__.py", "test_battery.py"}
    assert {name for name in code if name.rpartition("/")[2] not in generated} <= named
    assert "opforge check acme-swish" in named


def test_adding_a_contribution_keeps_checked_items(tmp_path):
    create(Project("acme-swish"), tmp_path)
    path = tmp_path / CHECKLIST
    path.write_text(path.read_text().replace("- [ ]", "- [x]"))
    assert read_checklist(tmp_path) == []
    changes = add(tmp_path, "metric", "Softness")
    assert {change.file: change.state for change in changes}[CHECKLIST] == "changed"
    assert [step.partition(":")[0] for step in read_checklist(tmp_path)] == [
        "src/acme_swish/metrics.py",
        "tests/test_metrics.py",
        "docs/softness.md",
    ]
