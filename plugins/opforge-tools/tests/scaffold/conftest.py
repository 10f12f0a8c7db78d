from pathlib import Path

import pytest

#: A small set of templates: quick to fill in, and open to change.
FILES = {
    "common/README.md.jinja": "# {{distribution}}\n\nFirst.\n\nSecond.\n\nThird.\n",
    "common/tox.ini": "[tox]\n",
    "common/hooks.jinja": "first\n{% for t in contributions %}{{t.registered}}\n{% endfor %}last\n",
    "numpy/src/{{package}}/{{module}}.py.jinja": 'name = "{{operator}}"\n',
    "operator/docs/{{page}}.md.jinja": "# {{operator}}\n",
    "contribution/docs/{{page}}.md.jinja": "# {{registered}}\n",
    "metric/src/{{package}}/{{module}}.py.jinja": "class {{class_name}}: ...\n",
    "layer/layers.py.jinja": "class {{class_name}}: ...\n",
}


@pytest.fixture
def templates(tmp_path):
    folder = tmp_path / "templates"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def files_of():
    """Return a function that reads a folder: path -> text."""

    def read(folder: Path) -> dict[str, str]:
        return {
            path.relative_to(folder).as_posix(): path.read_text()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    return read
