"""Write ``docs/reference/abi.md`` from the header of the native interface; `--check` only compares.

A comment ``/* ## Title */`` begins a section; any other comment at the beginning of a line
describes the code below it, up to the next one.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = ROOT / "core" / "opforge" / "include" / "opforge" / "abi.h"
PAGE = ROOT / "docs" / "reference" / "abi.md"

_COMMENT = re.compile(r"^/\*(.*?)\*/\n", re.MULTILINE | re.DOTALL)
#: Comments for the tests.
_MARK = re.compile(r"^\s*/\* (?:end of )?frozen \d+\.\d+ \*/\n", re.MULTILINE)
_INTRODUCTION = """\
% Written by scripts/abi_page.py from abi.h; change that.

# The native interface

"""


def page(header: str) -> str:
    """Return the page for the text of the header."""
    text = _MARK.sub("", header[: header.index("#ifdef __cplusplus\n}")])
    pieces = _COMMENT.split(text)
    lines = [_INTRODUCTION, _prose(pieces[1]), "\n"]
    for comment, code in zip(pieces[3::2], pieces[4::2], strict=True):
        prose = _prose(comment)
        code = _remove_unbalanced(code)
        lines.append(f"\n{prose}\n")
        if code and not prose.startswith("## "):
            lines.append(f"\n```c\n{code}\n```\n")
    return re.sub(r"\n{3,}", "\n\n", "".join(lines)).rstrip("\n") + "\n"


def _prose(comment: str) -> str:
    """Return a comment's text without the stars at the beginnings of its lines."""
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in comment.strip().split("\n")).strip()


def _remove_unbalanced(code: str) -> str:
    """Return the code without each ``#if`` or ``#endif`` whose counterpart is in another piece."""
    lines = code.strip("\n").split("\n")
    while lines and lines[-1].startswith("#if"):
        lines = "\n".join(lines[:-1]).strip("\n").split("\n")
    opened = 0
    kept = []
    for line in lines:
        opened += line.startswith("#if") - line.startswith("#endif")
        if opened >= 0:
            kept.append(line)
        opened = max(opened, 0)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


def main() -> int:
    """Write or compare the page; return 1 if it does not match the header."""
    new = page(HEADER.read_text(encoding="utf-8"))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(new, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == new:
        return 0
    print(f"{PAGE} does not match {HEADER}: run scripts/abi_page.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
