"""The gallery contains every example, and its figures and guides exist."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def extension():
    path = DOCS / "_extensions" / "example_pages.py"
    spec = importlib.util.spec_from_file_location("example_pages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_is_a_page_for_each_program_and_no_other(extension, tmp_path):
    (tmp_path / "gone.md").write_text(f"{extension.MARK}\n# gone.py\n")
    (tmp_path / "mine.md").write_text("# mine\n")
    extension.write_pages(tmp_path)
    names = {path.stem for path in ROOT.glob("examples/*.py")}
    assert {path.stem for path in tmp_path.iterdir()} == {*names, "index", "mine"}
    index = (tmp_path / "index.md").read_text()
    assert all(f":link: {name}\n" in index for name in names)


def test_a_page_shows_figure_guide_and_source(extension):
    shown = extension.page("ssd", "Train a detector.\n\n    python examples/ssd.py\n")
    assert "# ssd.py\n\nTrain a detector.\n" in shown
    assert "{doc}`../howto/detect_objects`" in shown
    assert "(../howto/detect_objects.png)" in shown
    assert "    python examples/ssd.py\n```" in shown
    assert "```{literalinclude} ../../examples/ssd.py\n" in shown


def test_figures_and_guides_of_the_gallery_exist(extension):
    folder = DOCS / "examples"
    programs = extension.programs()
    assert set(extension.FIGURES) | set(extension.GUIDES) <= set(programs)
    for path, _ in extension.FIGURES.values():
        assert (folder / path).is_file(), path
    for guide in extension.GUIDES.values():
        assert (folder / f"{guide}.md").is_file(), guide
