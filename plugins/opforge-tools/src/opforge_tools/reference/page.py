"""Page of the catalogue, rendered with a Jinja2 template.

Texts are untrusted. The template escapes its values, and functions here that produce markup escape
each part of it.
"""

import re
from collections.abc import Sequence
from typing import Any

from opforge.base.errors import OpforgeError

from .function_text import split_parameters
from .sections import formulas_as_code

__all__ = ["page_text"]

_CODE = re.compile(r"`+([^`]+)`+")


def page_text(cards: Sequence[Any], packages: Sequence[Any], home: str = "") -> str:
    """Return the page as HTML.

    Parameters
    ----------
    cards : sequence of Card
    packages : sequence of Package
    home : str, optional
        URL of the documentation, to which the header links.

    Raises
    ------
    OpforgeError
        Jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise OpforgeError("the catalogue needs Jinja2: pip install 'opforge[catalogue]'") from None
    environment = Environment(
        loader=PackageLoader(str(__package__), "site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["marked"] = _mark_up
    environment.filters["parameters"] = split_parameters
    template = environment.get_template("catalogue.html")
    return template.render(cards=cards, packages=packages, home=home) + "\n"


def _mark_up(text: str) -> Any:
    """Return escaped text with formulas and text between backticks as code."""
    from markupsafe import Markup, escape

    parts = _CODE.split(formulas_as_code(text))
    for at in range(1, len(parts), 2):
        parts[at] = Markup("<code>{}</code>").format(parts[at])
    return Markup("").join(escape(part) for part in parts)
