"""Gallery of the programs in ``examples/``: a page for each, with its docstring and source."""

import ast
from pathlib import Path
from typing import Any

from opforge_tools.reference.files import leftover_files, write_files

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MARK = "<!-- Written by docs/_extensions/example_pages.py; do not edit. -->"
#: Figures of the programs: path relative to ``docs/examples``, and description.
FIGURES = {
    "bucketing_language_model": (
        "../tutorials/figures/expected.png",
        "predictions of the next character",
    ),
    "digits": ("../tutorials/figures/digits.png", "handwritten digits"),
    "distributed": ("../explanation/figures/losses.svg", "losses on one, two and four ranks"),
    "lenet": ("figures/lenet.png", "losses and accuracies of LeNet"),
    "record_files": ("../howto/record_files.png", "digits, each rotated and cropped differently"),
    "ssd": ("../howto/detect_objects.png", "shapes with the detected boxes"),
    "word_language_model": ("../tutorials/figures/text_loss.png", "the loss of a language model"),
}
#: Pages that explain the programs.
GUIDES = {
    "bucketing_language_model": "../howto/sequence_models",
    "custom_operator": "../tutorials/write_an_operator",
    "digits": "../tutorials/train_a_network",
    "distributed": "../tutorials/train_on_many_ranks",
    "lenet": "../tutorials/classify_images",
    "record_files": "../howto/record_files",
    "ssd": "../howto/detect_objects",
    "word_language_model": "../howto/sequence_models",
}


def programs() -> dict[str, str]:
    """Return the docstrings of the examples by name."""
    found = {}
    for path in sorted(EXAMPLES.glob("*.py")):
        found[path.stem] = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return found


def page(name: str, text: str) -> str:
    """Return the page of an example."""
    title, _, rest = text.partition("\n")
    lines = [MARK, f"# {name}.py", "", title, ""]
    if name in GUIDES:
        lines += [f"{{doc}}`{GUIDES[name]}` explains it.", ""]
    if name in FIGURES:
        path, description = FIGURES[name]
        lines += [f"![{description}]({path})", ""]
    lines += ["```{code-block} text", "", rest.strip("\n"), "```", ""]
    lines += [f"```{{literalinclude}} ../../examples/{name}.py", ":language: python", "```", ""]
    return "\n".join(lines)


def index(found: dict[str, str]) -> str:
    """Return the gallery."""
    lines = [MARK, "# Examples", "", "Complete programs, which the tests run.", ""]
    lines += ["::::{grid} 1 2 3 3", ":gutter: 3", ""]
    for name, text in found.items():
        lines += [f":::{{grid-item-card}} {name}.py", f":link: {name}", ":link-type: doc"]
        if name in FIGURES:
            lines += [f":img-top: {FIGURES[name][0]}"]
        lines += ["", text.partition("\n")[0], ":::", ""]
    return "\n".join([*lines, "::::", "", "```{toctree}", ":hidden:", "", *found, "```", ""])


def write_pages(folder: Path) -> None:
    """Write the gallery and its pages; remove pages of deleted programs."""
    found = programs()
    texts = {f"{name}.md": page(name, text) for name, text in found.items()}
    texts["index.md"] = index(found)
    write_files(folder, texts)
    for path in leftover_files(folder, texts, MARK):
        path.unlink()


def setup(app: Any) -> dict[str, bool]:
    """Write the pages in each build."""
    folder = Path(app.srcdir) / "examples"
    app.connect("config-inited", lambda app, config: write_pages(folder))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
