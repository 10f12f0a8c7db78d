"""Print the list of the core's own things; `--write` stores it where `opforge ops` reads it.

Each line is one thing: kind, name, arguments, outputs and the first line of its description.
"""

import json
import sys
from pathlib import Path

from opforge.reference import listing
from opforge.reference.rows import import_core

LIST = Path(str(listing.__file__)).with_name(listing.STORED)


def text() -> str:
    """Return the list as it is stored."""
    import_core()
    keys = ("kind", "name", "arguments", "outputs", "doc")
    lines = [
        json.dumps([row[key] for key in keys], ensure_ascii=False) for row in listing.core_rows()
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main() -> None:
    """Print or store the list."""
    if "--write" in sys.argv[1:]:
        LIST.write_text(text(), encoding="utf-8")
    else:
        sys.stdout.write(text())


if __name__ == "__main__":
    main()
