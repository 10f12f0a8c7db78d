import pytest
from opforge_tools.scaffold.creating import create
from opforge_tools.scaffold.project import Project
from opforge_tools.scaffold.record import RECORD
from opforge_tools.scaffold.updating import add, update

from opforge.base.errors import ScaffoldError


@pytest.fixture
def project(tmp_path, templates):
    folder = tmp_path / "project"
    create(Project("acme-gelu"), folder, templates)
    return folder


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def states(changes):
    return {change.file: change.state for change in changes}


def test_nothing_changed(project, templates, files_of):
    before = files_of(project)
    edit(project / "README.md", "First", "My first")
    assert update(project, templates) == []
    assert files_of(project) == {**before, "README.md": (project / "README.md").read_text()}


def test_a_change_comes_and_edits_stay(project, templates):
    edit(project / "README.md", "First", "My first")
    edit(templates / "common/README.md.jinja", "Third", "New third of {{distribution}}")
    assert states(update(project, templates)) == {"README.md": "changed"}
    text = "# acme-gelu\n\nMy first.\n\nSecond.\n\nNew third of acme-gelu.\n"
    assert (project / "README.md").read_text() == text
    assert update(project, templates) == [], "the second time there is nothing to do"


def test_a_conflict_is_reported(project, templates):
    edit(project / "README.md", "Second", "Mine")
    edit(templates / "common/README.md.jinja", "Second", "Theirs")
    assert states(update(project, templates)) == {"README.md": "conflict"}
    text = (project / "README.md").read_text()
    assert "<<<<<<< yours\nMine.\n=======\nTheirs.\n>>>>>>> templates now\n" in text


def test_both_made_the_same_change(project, templates):
    edit(project / "README.md", "Second", "Same")
    edit(templates / "common/README.md.jinja", "Second", "Same")
    assert update(project, templates) == []


def test_files_come_and_go(project, templates):
    (templates / "common/docs").mkdir()
    (templates / "common/docs/{{operator}}.md.jinja").write_text("{{operator}}\n")
    (templates / "common/tox.ini").unlink()
    assert states(update(project, templates)) == {
        "docs/acme_gelu.md": "added",
        "tox.ini": "removed",
    }
    assert (project / "docs/acme_gelu.md").read_text() == "acme_gelu\n"
    assert not (project / "tox.ini").exists()


def test_deleted_files_are_not_recreated(project, templates):
    (project / "tox.ini").unlink()
    assert update(project, templates) == []
    edit(templates / "common/tox.ini", "[tox]", "[tox]\nnew")
    assert states(update(project, templates)) == {"tox.ini": "left"}
    assert not (project / "tox.ini").exists()


def test_edited_files_survive_removal_from_templates(project, templates):
    edit(project / "tox.ini", "[tox]", "mine")
    (templates / "common/tox.ini").unlink()
    assert states(update(project, templates)) == {"tox.ini": "left"}
    assert (project / "tox.ini").read_text() == "mine\n"


def test_a_new_template_meets_a_file_of_the_author(project, templates):
    for folder, text in ((project, "mine\n"), (templates / "common", "theirs\n")):
        (folder / "NOTES").write_text(text)
    assert states(update(project, templates)) == {"NOTES": "conflict"}
    assert "mine\n=======\ntheirs\n" in (project / "NOTES").read_text()


def test_line_ends_stay(project, templates):
    (project / "tox.ini").write_bytes(b"[tox]\r\nmine\r\n")
    edit(templates / "common/README.md.jinja", "Third", "3rd")
    update(project, templates)
    assert (project / "tox.ini").read_bytes() == b"[tox]\r\nmine\r\n"


def test_a_failure_writes_nothing(project, templates, files_of, monkeypatch):
    for name in ("tox.ini", "README.md"):
        edit(project / name, "\n", "\nmine\n")
    edit(templates / "common/README.md.jinja", "Third", "3rd")
    edit(templates / "common/tox.ini", "[tox]", "[testenv]")
    before = files_of(project)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ScaffoldError, match="install git"):
        update(project, templates)
    assert files_of(project) == before


def test_no_project(tmp_path):
    with pytest.raises(ScaffoldError, match=RECORD.replace(".", r"\.")):
        update(tmp_path)


def test_a_contribution_is_added_and_edits_stay(project, templates, files_of):
    edit(project / "README.md", "First", "My first")
    edit(project / "hooks", "first", "my first")
    found = states(add(project, "metric", "Near", templates))
    added = {"docs/near.md": "added", "src/acme_gelu/metrics.py": "added"}
    assert found == {**added, "hooks": "changed"}
    assert (project / "hooks").read_text() == "my first\nacme_gelu\nNear\nlast\n"
    assert (project / "README.md").read_text().startswith("# acme-gelu\n\nMy first")
    assert update(project, templates) == [], "the record knows of it"
    add(project, "metric", "Far", templates)
    assert (project / "src/acme_gelu/far.py").read_text() == "class Far: ...\n"


def test_failed_additions_change_nothing(project, templates, files_of):
    before = files_of(project)
    with pytest.raises(ScaffoldError, match="a separate build"):
        add(project, "native-c", "fast", templates)
    assert files_of(project) == before
