import json

import pytest
from opforge_tools.scaffold.project import Project
from opforge_tools.scaffold.record import RECORD, Record

from opforge.base.errors import ScaffoldError


def test_it_is_read_as_it_was_written(tmp_path):
    project = Project("acme", "composed", True, "gelu").with_contribution("metric", "Near")
    record = Record(project, {"a/b": "ä\n", "empty": ""})
    record.write(tmp_path)
    assert Record.read(tmp_path) == record
    assert json.loads((tmp_path / RECORD).read_text())["opforge"].count(".") == 2


def test_one_of_before_contributions_could_be_added(tmp_path):
    answers = {"name": "acme", "kind": "numpy", "layer": True, "operator": "silu"}
    (tmp_path / RECORD).write_text(json.dumps({"answers": answers, "files": {}}))
    assert Record.read(tmp_path).project == Project("acme", layer=True, operator="silu")


def test_a_folder_without_one(tmp_path):
    with pytest.raises(ScaffoldError, match=r"does not exist; .*that `opforge new NAME` created"):
        Record.read(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"files": {}, "answers": {"name": "acme", "colour": "red"}}',
        '{"files": {}, "answers": {"name": 3}}',
        '{"files": [], "answers": {"name": "acme"}}',
        '{"files": {"a": 1}, "answers": {"name": "acme"}}',
        '{"files": {"../a": "x"}, "answers": {"name": "acme"}}',
        '{"files": {"/a": "x"}, "answers": {"name": "acme"}}',
    ],
)
def test_a_damaged_one(tmp_path, text):
    (tmp_path / RECORD).write_text(text)
    with pytest.raises(ScaffoldError, match=r"is damaged .*restore it from version control"):
        Record.read(tmp_path)
