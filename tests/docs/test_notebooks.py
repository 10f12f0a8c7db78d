"""Notebooks contain the code of the tutorials; ``tox -e notebooks`` runs them."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "scripts" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = """# Title

```python
print(1)
```

```{code-block} text
:caption: Output
1
```

![A figure](figures/a.png)

```{code-block} python
:caption: train.py
print(2)
```

```console
$ python train.py
```

Read [on](other.md), or [elsewhere](https://example.org/page.md).
"""


def test_a_page_becomes_cells(script):
    cells = [(cell.cell_type, cell.source) for cell in script.notebook(PAGE).cells]
    assert cells == [
        ("markdown", "# Title"),
        ("code", "print(1)"),
        ("code", "%%writefile train.py\nprint(2)"),
        (
            "markdown",
            "```console\n$ python train.py\n```\n\n"
            "Read on, or [elsewhere](https://example.org/page.md).",
        ),
    ]


def test_tutorials_that_are_programs_become_notebooks(script, tmp_path):
    written = {path.stem for path in script.write_notebooks(tmp_path / "made")}
    assert {"train_a_network", "classify_images", "write_text", "train_on_many_ranks"} <= written
    assert "publish_a_plugin" not in written
    again = {path.stem: path.read_bytes() for path in script.write_notebooks(tmp_path / "again")}
    assert again == {path.stem: path.read_bytes() for path in (tmp_path / "made").iterdir()}


@pytest.fixture(scope="module")
def notebooks(script, tmp_path_factory):
    """Return the notebooks of all tutorials by name, as a reader opens them."""
    nbformat = pytest.importorskip("nbformat")
    paths = script.write_notebooks(tmp_path_factory.mktemp("notebooks"))
    return {path.stem: nbformat.read(path, as_version=4) for path in paths}


def test_notebooks_are_valid_and_without_output(notebooks):
    nbformat = pytest.importorskip("nbformat")
    for name, made in notebooks.items():
        nbformat.validate(made)
        code = [cell for cell in made.cells if cell.cell_type == "code"]
        assert code and not any(cell.outputs for cell in code), name
        assert made.cells[0].source.startswith("# "), name


def test_notebooks_contain_all_code_of_their_pages(script, notebooks):
    """`test_tutorials` runs the pages, so the notebooks run as well."""
    block = re.compile(
        r"^```(?:python|\{code-block\} python\n:caption: (?P<file>\w+\.py))\n(?P<body>.*?)^```$",
        re.MULTILINE | re.DOTALL,
    )
    for name, page in script.pages().items():
        expected = [
            f"%%writefile {found['file']}\n{found['body']}" if found["file"] else found["body"]
            for found in block.finditer(page)
        ]
        cells = [cell.source for cell in notebooks[name].cells if cell.cell_type == "code"]
        assert cells == [text.strip() for text in expected], name


def test_a_notebook_runs(script, tmp_path):
    """``tox -e notebooks`` runs those of all tutorials."""
    pytest.importorskip("nbclient", reason="needs the packages of tox -e notebooks")
    pytest.importorskip("ipykernel", reason="needs the packages of tox -e notebooks")
    import nbformat

    page = """# Arrays

```python
from opforge import nd

x = nd.ones((2,))
```

```{code-block} text
:caption: Output
other
```

```python
print(x.sum().asscalar())
x
```
"""
    path = tmp_path / "arrays.ipynb"
    nbformat.write(script.notebook(page), path)
    script.run(path)
    last = nbformat.read(path, as_version=4).cells[-1]
    assert last.outputs[0].text == "2.0\n"
    assert "NDArray 2 float32" in last.outputs[1].data["text/html"]
