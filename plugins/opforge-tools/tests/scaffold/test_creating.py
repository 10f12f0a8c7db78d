import pytest
from opforge_tools.scaffold.creating import create
from opforge_tools.scaffold.project import Project
from opforge_tools.scaffold.record import RECORD, Record

from opforge.base.errors import ScaffoldError


def test_files_are_written_and_recorded(tmp_path, templates, files_of):
    folder = tmp_path / "deep" / "project"
    names = create(Project("acme-gelu", layer=True), folder, templates)
    found = files_of(folder)
    assert found.pop(RECORD)
    assert list(found) == sorted(names)
    assert found["README.md"].startswith("# acme-gelu\n")
    assert found["src/acme_gelu/operators.py"] == 'name = "acme_gelu"\n'
    assert found["layers.py"] == "class AcmeGelu: ...\n"
    assert Record.read(folder).files == found


def test_an_empty_repository_will_do(tmp_path, templates):
    (tmp_path / "project" / ".git").mkdir(parents=True)
    create(Project("acme"), tmp_path / "project", templates)
    assert (tmp_path / "project" / "tox.ini").is_file()


def test_nothing_is_overwritten(tmp_path, templates):
    (tmp_path / "project").mkdir()
    mine = tmp_path / "project" / "tox.ini"
    mine.write_text("mine")
    with pytest.raises(ScaffoldError, match=r"is not empty \(it has tox.ini\).*--update"):
        create(Project("acme"), tmp_path / "project", templates)
    with pytest.raises(ScaffoldError, match="is a file"):
        create(Project("acme"), mine, templates)
    assert mine.read_text() == "mine"
