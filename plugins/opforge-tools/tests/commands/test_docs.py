import pytest
from typer.testing import CliRunner

from opforge.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["docs", *map(str, arguments)])


@pytest.mark.plugins
def test_pages_are_written_found_stale_and_removed(tmp_path):
    assert run("--output", tmp_path, "--check").exit_code == 1
    assert run("--output", tmp_path).exit_code == 0
    page = tmp_path / "opforge-softmax" / "operators" / "softmax.md"
    assert "# softmax" in page.read_text()
    assert run("--output", tmp_path, "--check").exit_code == 0
    gone = page.with_name("gone.md")
    gone.write_bytes(page.read_bytes())
    own = page.with_name("notes.md")
    own.write_text("# My notes\n")
    stale = run("--output", tmp_path, "--check")
    assert stale.exit_code == 1
    assert "gone.md" in stale.output
    assert "notes.md" not in stale.output
    assert run("--output", tmp_path).exit_code == 0
    assert not gone.exists()
    assert own.exists()


@pytest.mark.plugins
def test_one_distribution(tmp_path):
    assert run("Opforge_Tile", "--output", tmp_path).exit_code == 0
    assert {path.name for path in tmp_path.rglob("*.md")} == {
        *("index.md", "shape.md", "tile.md", "repeat.md")
    }


def test_a_distribution_that_is_not_installed(tmp_path):
    done = run("acme-nothing", "--output", tmp_path)
    assert done.exit_code == 1
    assert "acme-nothing: no such plugin is installed" in done.output


def test_a_folder_that_cannot_be_written_names_the_option(tmp_path):
    (tmp_path / "file").write_text("")
    done = run("--output", tmp_path / "file")
    assert done.exit_code == 1
    assert "opforge docs --output DIR" in done.output
