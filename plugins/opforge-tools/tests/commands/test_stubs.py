import sysconfig

from typer.testing import CliRunner

from opforge.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["stubs", *map(str, arguments)])


def test_they_are_written_and_found_out_of_date(tmp_path):
    missing = run("--output", tmp_path, "--check")
    assert missing.exit_code == 1
    assert len(missing.output.splitlines()) == 1
    assert missing.output.endswith("; to write them: opforge stubs\n")
    done = run("--output", tmp_path)
    assert done.exit_code == 0
    assert "files written" in done.output
    assert (tmp_path / "opforge-stubs" / "py.typed").read_text() == "partial\n"
    assert run("--output", tmp_path, "--check").exit_code == 0
    page = tmp_path / "opforge-stubs" / "ndarray" / "op.pyi"
    page.write_text("")
    stale = run("--output", tmp_path, "--check")
    assert stale.exit_code == 1
    assert str(page) in stale.output.replace("\n", "")
    assert ": 1 of " in run("--output", tmp_path).output.replace("\n", "")


def test_by_default_they_go_where_type_checkers_look(tmp_path, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / name))
    assert run().exit_code == 0
    assert (tmp_path / "purelib" / "opforge-stubs" / "ndarray" / "op.pyi").exists()


def test_a_folder_that_cannot_be_written_names_the_option(tmp_path):
    (tmp_path / "file").write_text("")
    done = run("--output", tmp_path / "file")
    assert done.exit_code == 1
    assert "opforge stubs --output DIR" in done.output
