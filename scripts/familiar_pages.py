"""Write the tables of names in the pages for users of PyTorch and Keras; `--check` only compares.

Each page ends with a table of all names of its framework that opforge finds, from
`base.familiar_names`. Needs opforge in the environment of this Python.
"""

import re
import sys
from pathlib import Path

from opforge.base.familiar_names import NOT_NEEDED, familiar_names

HOWTO = Path(__file__).resolve().parents[1] / "docs" / "howto"
PAGES = {
    "PyTorch": HOWTO / "coming_from_pytorch.md",
    "Keras": HOWTO / "coming_from_keras.md",
}
_HEADING = "## All names\n"
#: Code in prose: a path with or without a call, or a special method.
_NAMED = re.compile(r"(?:\b[a-z]\w*(?:\.\w+)+|__\w+__)(?:\([^()]*(?:\([^()]*\))?[^()]*\))?")


def page(framework: str) -> str:
    """Return the text of a page with a current table."""
    text = PAGES[framework].read_text(encoding="utf-8")
    return text.partition(_HEADING)[0] + _HEADING + _section(framework)


def _section(framework: str) -> str:
    rows = [(name, code) for own, name, code in familiar_names() if own == framework]
    lines = [f"| `{name}` | {_code(code)} |" for name, code in rows]
    return f"""
% Written by scripts/familiar_pages.py from core/opforge/base/familiar_names.py; change that.

`opforge ops search` and errors about missing names know these names of {framework}. Other names are
the same in opforge, or `opforge ops search` suggests similar ones.

| {framework} | opforge |
|---|---|
""" + "".join(f"{line}\n" for line in lines)


def _code(code: str) -> str:
    """Return a remedy in Markdown: code until the first separator, then prose that names code."""
    end = _first_separator(code)
    if code.startswith(NOT_NEEDED) or not _is_code(code[:end]):
        return _NAMED.sub(r"`\g<0>`", code)
    return f"`{code[:end]}`" + _NAMED.sub(r"`\g<0>`", code[end:])


def _first_separator(code: str) -> int:
    """Return the position of the first separator outside of brackets."""
    depth = 0
    for at, char in enumerate(code):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and char in ",;:":
            return at
    return len(code)


def _is_code(text: str) -> bool:
    try:
        compile(text, "familiar_names", "exec")
    except SyntaxError:
        return False
    return True


def main() -> int:
    """Write the pages, or report those that are outdated."""
    outdated = [
        path for name, path in PAGES.items() if path.read_text(encoding="utf-8") != page(name)
    ]
    if "--check" in sys.argv[1:]:
        for path in outdated:
            print(f"{path} is outdated: python scripts/familiar_pages.py")
        return len(outdated)
    for name, path in PAGES.items():
        path.write_text(page(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
