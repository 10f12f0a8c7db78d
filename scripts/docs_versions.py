"""Add a version of the documentation to the list that its pages offer.

    python scripts/docs_versions.py SITE VERSION ADDRESS

SITE is the folder that is served at ADDRESS, with a folder for each version. Its `versions.json`
lists all versions, newest first, and its `index.html` redirects to the newest release.
"""

import json
import sys
from html import escape
from pathlib import Path

from packaging.version import Version

_LEAD = """\
<!DOCTYPE html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={address}">
<link rel="canonical" href="{address}">
<a href="{address}">The documentation of opforge {version}</a>
"""


def add_version(site: Path, version: str, address: str) -> None:
    """Add a version to the list, and redirect the site to the newest."""
    path = site / "versions.json"
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    names = {entry["version"] for entry in entries} | {version}
    newest_first = sorted(map(Version, names), reverse=True)
    releases = [each for each in newest_first if not each.is_prerelease]
    preferred = (releases or newest_first)[0]
    base = address.rstrip("/")
    listed = [
        {
            "name": f"{each} (stable)" if each == preferred else str(each),
            "version": str(each),
            "url": f"{base}/{each}/",
            "preferred": each == preferred,
        }
        for each in newest_first
    ]
    site.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    lead = _LEAD.format(address=escape(f"{base}/{preferred}/"), version=preferred)
    (site / "index.html").write_text(lead, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    add_version(Path(sys.argv[1]), *sys.argv[2:])
