"""Catalogue: a static web page and an index of the contributions of many plugins.

No plugin code runs. Texts are untrusted: the template escapes all of them, and the page may load
only its own scripts and style. ``index.json`` maps names to distributions; errors about missing
operators read it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from opforge.cli.reference.declarations import (
    Layer,
    Operator,
    installed_operators,
    layers_of,
    operators_of,
)
from opforge.op.calling.deprecation import deprecation_text
from opforge.op.calling.documentation import split_sections
from opforge.op.registry.entry import CORE
from opforge.op.registry.kinds import KINDS
from opforge.op.registry.naming import public_name, registered_name
from opforge.plugin.source import read_contribution

from .badges import Badge, Key, badge_of
from .files import write_files
from .function_text import (
    attribute_rows,
    input_rows,
    layer_text,
    operator_text,
    without_placeholders,
)
from .page import page_text
from .sections import parameter_rows
from .wheels import Package

__all__ = ["Card", "build_catalogue", "cards_of"]

#: Version of the format of index.json.
_FORMAT = 1
_LAST = ("out: NDArray | None = None", "name: str | None = None")
Badges = Mapping[Key, Badge]


@dataclass(frozen=True)
class Card:
    """Card of one operator, layer or other contribution on the page.

    Parameters
    ----------
    kind : str
        Of `op.registry.kinds.KINDS`.
    name : str
        Name in programs, for instance ``contrib.box_nms``.
    package : Package
    text, example : str
    Text and example of the docstring.
    signature : str
    inputs, outputs : tables
        Names and descriptions.
    attributes : table
        Name, type, default, range and description.
    parameters : table
        Parameters of a layer: name, type and description.
    version : int
    Version of the operator.
    deprecated : str
    badge : Badge or None
    problem : str
        Reason why the declaration could not be read.
    """

    kind: str
    name: str
    package: Package
    text: str = ""
    example: str = ""
    signature: str = ""
    inputs: list[tuple[str, str]] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    parameters: list[tuple[str, str, str]] = field(default_factory=list)
    version: int = 1
    deprecated: str = ""
    badge: Badge | None = None
    problem: str = ""

    @property
    def anchor(self) -> str:
        """Fragment of the card's URL, after the ``#``."""
        return f"{self.kind}/{self.package.provider.key}/{self.name}"

    @property
    def summary(self) -> str:
        """First line of the text."""
        return self.text.partition("\n")[0]

    @property
    def search(self) -> str:
        """Lower-case text for the search."""
        words = [self.name, self.package.provider.name, self.kind, self.summary]
        words += [row[0] for row in (*self.attributes, *self.parameters)]
        return " ".join(words).lower()


def cards_of(packages: Iterable[Package], badges: Badges | None = None) -> list[Card]:
    """Return the cards of all contributions of the plugins, sorted by name."""
    found = []
    for package in packages:
        for operator in _operators(package):
            badge = badge_of(badges or {}, package.provider, "operator", operator.name)
            found.append(_operator_card(operator, package, badge))
        for layer in layers_of(package.provider, package.folders):
            badge = badge_of(badges or {}, package.provider, "layer", layer.name)
            found.append(_layer_card(layer, package, badge))
        found += _other_cards(package, badges or {})
    shown = [card for card in found if not card.name.startswith("_")]
    return sorted(shown, key=lambda c: (c.name.lower(), c.name, c.kind, c.package.provider.key))


def _operators(package: Package) -> list[Operator]:
    if package.provider.key == CORE and package.folders is None:
        return installed_operators([CORE])
    return operators_of(package.provider, package.folders)


def build_catalogue(
    folder: Path, packages: Iterable[Package], badges: Badges | None = None, home: str = ""
) -> list[Card]:
    """Write the page and its index; return the cards.

    Parameters
    ----------
    folder : Path
        Output folder for ``index.html``, ``index.json``, scripts and style.
    packages : iterable of Package
    badges : mapping, optional
        From `read_badges`.
    home : str, optional
        URL of the documentation, to which the page links.

    Raises
    ------
    OpforgeError
        Jinja2 is not installed.
    """
    packages = list(packages)
    cards = cards_of(packages, badges)
    site = resources.files(__package__) / "site"
    own = {name: (site / name).read_text(encoding="utf-8") for name in _OWN}
    index = json.dumps(_index(cards), indent=1, ensure_ascii=False, sort_keys=True)
    texts = {**own, "index.html": page_text(cards, packages, home), "index.json": f"{index}\n"}
    write_files(folder, texts)
    return cards


_OWN = ("catalogue.css", "catalogue.js", "close_names.js")


def _index(cards: Iterable[Card]) -> dict[str, Any]:
    names: dict[str, dict[str, list[dict[str, str]]]] = {noun: {} for noun in KINDS}
    for card in cards:
        provider = card.package.provider
        row = {"distribution": provider.name, "version": provider.version}
        name = registered_name(card.name) if card.kind == "operator" else card.name
        names[card.kind].setdefault(name, []).append(row)
    return {"format": _FORMAT, **{KINDS[noun].plural: table for noun, table in names.items()}}


def _operator_card(operator: Operator, package: Package, badge: Badge | None) -> Card:
    prop_class = operator.prop_class
    text, sections = split_sections(operator.text)
    since = deprecation_text(prop_class.deprecated_since, prop_class.replacement)
    name = public_name(operator.name)
    return Card(
        "operator",
        name,
        package,
        text,
        _example(sections),
        without_placeholders(f"nd.{name}{operator_text(operator, 'NDArray', 'NDArray', _LAST)}"),
        input_rows(prop_class),
        list(prop_class.outputs),
        attribute_rows(prop_class),
        version=prop_class.version,
        deprecated=f"since {since}" if since else "",
        badge=badge,
        problem=operator.problem,
    )


def _layer_card(layer: Layer, package: Package, badge: Badge | None) -> Card:
    text, sections = split_sections(layer.text)
    return Card(
        "layer",
        layer.name,
        package,
        text,
        _example(sections),
        f"gluon.nn.{layer.name}{layer_text(layer)}",
        parameters=_parameters(sections),
        badge=badge,
        problem=layer.problem,
    )


def _other_cards(package: Package, badges: Badges) -> Iterator[Card]:
    """Yield the cards of contributions other than operators and layers."""
    for kind in KINDS.values():
        if kind.noun in ("operator", "layer"):
            continue
        for name, value in package.provider.provides.get(kind.noun, {}).items():
            source = read_contribution(kind.noun, value, name, package.folders)
            text, sections = split_sections(source.doc)
            yield Card(
                kind.noun,
                name,
                package,
                text,
                _example(sections),
                kind.call(name),
                parameters=_parameters(sections),
                badge=badge_of(badges, package.provider, kind.noun, name),
                problem=source.problem,
            )


def _parameters(sections: Iterable[tuple[str, str]]) -> list[tuple[str, str, str]]:
    return [
        row for title, body in sections if title == "Parameters" for row in parameter_rows(body)
    ]


def _example(sections: Iterable[tuple[str, str]]) -> str:
    return "\n".join(
        "\n".join(body.splitlines()[2:]) for title, body in sections if title == "Examples"
    )
