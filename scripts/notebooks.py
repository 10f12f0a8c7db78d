"""Convert the tutorials to notebooks: their code as cells, without the output that pages show.

    python scripts/notebooks.py FOLDER          write one for each tutorial that is a program
    python scripts/notebooks.py --run FOLDER    run them too; figures are written next to them
    python scripts/notebooks.py --draw          run them elsewhere and redraw the pages' figures

Running requires ipykernel, nbclient and the packages that the tutorials import.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).resolve().parents[1] / "docs" / "tutorials"
FENCE = re.compile(r"^```(?P<head>[^\n]*)\n(?P<body>.*?)^```$\n*", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"\A:caption: (?P<name>\w+\.py)\n")
PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n*", re.MULTILINE)
PAGE_LINK = re.compile(r"\[([^\]]+)\]\([^):]+\.md(?:#[^)]*)?\)")


def pages() -> dict[str, str]:
    """Return the text of the tutorials that are programs, not projects of several files."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(TUTORIALS.glob("*.md"))}
    return {
        name: text
        for name, text in texts.items()
        if "\n```python\n" in text and not re.search(r"^:caption: .*/", text, re.MULTILINE)
    }


def as_markdown(page: str) -> str:
    """Return a page whose fenced blocks are cells, without the output that it shows."""
    text = PAGE_LINK.sub(r"\1", PICTURE.sub("", page))
    return FENCE.sub(_cell, text)


def _cell(block: re.Match[str]) -> str:
    """Return a block in its form for notebooks."""
    body, program = block["body"], PROGRAM.match(block["body"])
    if body.startswith(":caption: Output\n"):
        return ""
    if program:
        return f"```python\n%%writefile {program['name']}\n{body[program.end() :]}```\n\n"
    return block[0]


def notebook(page: str) -> Any:
    """Return a page as an nbformat notebook."""
    import jupytext

    made = jupytext.reads(as_markdown(page), fmt="md")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    for number, cell in enumerate(made.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
    return made


def write_notebooks(folder: Path) -> list[Path]:
    """Write a notebook for each tutorial that is a program."""
    import nbformat

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, page in pages().items():
        written.append(folder / f"{name}.ipynb")
        nbformat.write(notebook(page), written[-1])
    return written


def run(path: Path) -> None:
    """Run a notebook in its folder, and store its output and figures in it."""
    import nbformat
    from nbclient import NotebookClient

    print(f"running {path.name}", flush=True)
    made = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(made, timeout=600, resources=where).execute()
    nbformat.write(made, path)


def draw() -> None:
    """Run all notebooks, and copy the figures that they draw to where the pages show them."""
    with tempfile.TemporaryDirectory() as folder:
        for path in write_notebooks(Path(folder)):
            run(path)
        for figure in Path(folder).glob("*.png"):
            shutil.copy(figure, TUTORIALS / "figures")


def main() -> None:
    """Run the command that the arguments name."""
    match sys.argv[1:]:
        case ["--draw"]:
            draw()
        case ["--run", folder]:
            for path in write_notebooks(Path(folder)):
                run(path)
        case [folder] if not folder.startswith("-"):
            write_notebooks(Path(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
