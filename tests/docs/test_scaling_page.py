"""The page on scaling shows the predictions of the model for the stored figures."""

import importlib.util
from pathlib import Path

import pytest

pytestmark = pytest.mark.plugins
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    path = ROOT / "scripts" / "scaling_page.py"
    spec = importlib.util.spec_from_file_location("scaling_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(script):
    page = script.PAGE.read_text(encoding="utf-8")
    assert script.filled(page, script.blocks()) == page, "run scripts/scaling_page.py"


def test_charts_are_drawn(script, tmp_path):
    pytest.importorskip("matplotlib")
    for draw in (script.draw_losses, script.draw_scaling):
        picture = tmp_path / f"{draw.__name__}.svg"
        draw(picture)
        assert "</svg>" in picture.read_text(encoding="utf-8")


def test_losses_do_not_depend_on_the_number_of_ranks(script):
    alone, *others = (run["losses"] for run in script.stored("losses")["ranks"].values())
    for losses in others:
        assert losses == pytest.approx(alone, rel=0.01)
