"""The search of the documentation ranks pages of operators and guides before internals."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SCORER = Path(__file__).resolve().parents[2] / "docs" / "_static" / "search_scorer.js"


@pytest.fixture
def ranked():
    """Return a function: the pages of search results, best first."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node, which runs the script, is not installed")
    script = SCORER.read_text(encoding="utf-8")

    def run(query, *results):
        rows = [[page, title, "", None, score, page, kind] for page, title, score, kind in results]
        program = f"""const window = {{location: {{search: {json.dumps(f"?q={query}")}}}}};
{script}
process.stdout.write(JSON.stringify({json.dumps(rows)}.map(Scorer.score)))"""
        done = subprocess.run([node, "-e", program], capture_output=True, text=True, check=True)
        scores = json.loads(done.stdout)
        return [row[0] for _, row in sorted(zip(scores, rows, strict=True), reverse=True)]

    return run


def test_the_page_of_an_operator_comes_first(ranked):
    pages = ranked(
        "softmax",
        ("reference/api/opforge.plugin_api.kernels", "x.kernels.softmax", 26, "object"),
        ("reference/api/opforge", "opforge.NDArray.softmax", 16, "object"),
        ("howto/serve_a_model", "Deploy and serve a model", 5, "text"),
        ("reference/operators/a/operators/Softmax-2", "Softmax", 16, "title"),
        ("reference/operators/a/operators/softmax", "softmax", 16, "title"),
    )
    assert pages == [
        "reference/operators/a/operators/softmax",
        "reference/operators/a/operators/Softmax-2",
        "reference/api/opforge",
        "howto/serve_a_model",
        "reference/api/opforge.plugin_api.kernels",
    ]


def test_guides_come_before_lists_of_pages_and_attributes(ranked):
    pages = ranked(
        "learning+rate",
        ("reference/api/opforge.optimizer", "opforge.optimizer.SGD.learning_rate", 6, "index"),
        ("howto/index", "How-to guides", 15, "text"),
        ("reference/api/opforge.lr_scheduler", "opforge.lr_scheduler", 5, "text"),
        ("tutorials/train_a_network", "Train your first network", 5, "text"),
    )
    assert pages[0] == "tutorials/train_a_network"
    assert pages[-1] == "reference/api/opforge.optimizer"


def test_the_guide_on_deployment_contains_the_word():
    text = (SCORER.parents[1] / "howto" / "serve_a_model.md").read_text(encoding="utf-8")
    assert text.startswith("# Deploy")
