"""Sphinx configuration; each build generates the reference pages from the installed packages."""

import importlib.metadata
import os
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS / "_extensions"), str(DOCS.parent / "scripts")]

project = "opforge"
author = "the opforge authors"
copyright = "2026, the opforge authors"
release = importlib.metadata.version("opforge")
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "example_pages",
    "mathml",
    "module_pages",
    "notebook_links",
    "operator_facts",
    "operator_pages",
]
myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "Thumbs.db", ".DS_Store"]

# Types in docstrings are words ("dtype"), which may be members of several classes: no links.
suppress_warnings = ["ref.python"]

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "logo": {"text": f"opforge {release}", "alt_text": "opforge"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navigation_depth": 3,  # every page contains the tree of pages: a deeper one takes minutes
    "secondary_sidebar_items": ["page-toc", "sourcelink"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
# A release sets the address of the list of versions: docs/howto/release.md.
if versions := os.environ.get("DOCS_VERSIONS"):
    html_theme_options |= {
        "switcher": {"json_url": versions, "version_match": version},
        "check_switcher": False,  # the check would request the list in each build
        "logo": {"text": "opforge", "alt_text": "opforge"},  # the switcher shows the version
        "navbar_start": ["navbar-logo", "version-switcher"],
        "show_version_warning_banner": True,
    }
html_logo = html_favicon = "_static/anvil.svg"
html_static_path = ["_static"]
html_css_files = ["opforge.css"]
html_search_scorer = str(DOCS / "_static" / "search_scorer.js")
html_math_renderer = "mathml"
html_sidebars = {"index": []}

# The copy button copies code without prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

autodoc_member_order = "groupwise"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False
