"""Print the list of the core's own contributions; `--write` stores it where `opforge ops` reads it.

Each line is one contribution: kind, name, arguments, outputs and the first line of its description.
"""

import json
from pathlib import Path

from stored_list import print_or_store

from opforge.cli.reference import listing
from opforge.cli.reference.rows import import_core

LIST = Path(str(listing.__file__)).with_name(listing.STORED)


def text() -> str:
    """Return the list in its stored form."""
    import_core()
    keys = ("kind", "name", "arguments", "outputs", "doc")
    lines = [
        json.dumps([row[key] for key in keys], ensure_ascii=False) for row in listing.core_rows()
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    print_or_store(text(), LIST)
