"""Notebooks contain the code of the tutorials; ``tox -e notebooks`` runs them."""

import importlib.util
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
