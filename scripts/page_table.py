"""Tables that scripts write to a page, between two comments."""

import re
from pathlib import Path

__all__ = ["write_table"]


def write_table(page: Path, begin: str, end: str, lines: list[str]) -> None:
    """Replace what is between the comments `begin` and `end` of a page by a table."""
    text = page.read_text(encoding="utf-8")
    inside = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    made = "\n".join([begin, "", *lines, "", end])
    if not inside.search(text):
        raise SystemExit(f"{page} lacks {begin}")
    page.write_text(inside.sub(lambda _: made, text), encoding="utf-8")
