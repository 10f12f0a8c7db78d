"""Search of contributions and of familiar names of other frameworks, best matches first.

A word matches a name or its parts without regard to case, underscores and dots: ``cross_entropy``
matches ``SoftmaxCrossEntropyLoss``. Imports neither a plugin nor the core.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ...base.familiar_names import familiar_names
from ...base.name_hints import hint
from ...base.spelling import close_names
from ...op.registry.catalogue import providers
from ...op.registry.kinds import KINDS
from ...op.registry.naming import public_name, split_full_name
from ...op.registry.table import TABLES, report
from .listing import contribution_names, contribution_rows

__all__ = ["familiar_hints", "not_found_text", "search"]

Row = dict[str, Any]
#: Quality of a match, best first.
_EXACT, _PREFIX, _PART, _INSIDE, _DESCRIPTION, _NONE = range(6)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: Required similarity of names in the error for a search without matches.
_SIMILARITY = 0.65


def search(words: Sequence[str]) -> list[Row]:
    """Return the contributions and familiar names that match all words, best matches first.

    A familiar name has its framework as kind, and as description the code to write instead.

    Parameters
    ----------
    words : sequence of str
        Words of name, kind, plugin or description.
    """
    wanted = [folded for folded in map(_fold, words) if folded]
    found = []
    for row in [*contribution_rows(), *_familiar_rows()]:
        rank = _rank(row, wanted) if wanted else _NONE
        if rank < _NONE:
            found.append((rank, row))
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


def familiar_hints(name: str) -> list[str]:
    """Return a sentence for each framework that has a name, in any spelling.

    Examples
    --------
    >>> familiar_hints("silu")
    ["PyTorch's SiLU is nn.Swish() here", "PyTorch's silu is x * nd.sigmoid(x) here"]
    """
    return [
        hint(framework, own, code)
        for framework, own, code in familiar_names()
        if _fold(name) in (_fold(own), _fold(own.rpartition(".")[2]))
    ]


def not_found_text(name: str) -> str:
    """Return the message for a name that no installed plugin provides, of any kind.

    Parameters
    ----------
    name : str
        Name of a contribution, or the words of a search.
    """
    short = split_full_name(name).name
    known = {public_name(row["name"]) for row in contribution_names()}
    missing = {
        own: (noun, distribution)
        for noun in KINDS
        for own, distribution in providers(noun)[0].items()
        if public_name(own) not in known
    }
    for own, (noun, _) in missing.items():
        if _fold(own) == _fold(short):
            return TABLES[noun].not_found_text(own)
    lines = [f"opforge has nothing named {short!r}, and no known plugin provides it"]
    hints = familiar_hints(short)
    close = [] if hints else _similar(short, [*known, *missing])
    if close:
        texts = [
            f"{own} (pip install {missing[own][1]})" if own in missing else own for own in close
        ]
        lines.append(f"similar names: {', '.join(texts)}")
    lines += hints
    lines += [TABLES[noun].explain_missing(short) for noun in KINDS]
    lines.append(report("operator", short))
    return "\n".join(dict.fromkeys(filter(None, lines)))


def _similar(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three similar names, ignoring case and underscores."""
    spellings: dict[str, str] = {}
    for own in sorted(known, reverse=True):  # softmax before Softmax
        spellings.setdefault(_fold(own), own)
    return [spellings[match] for match in close_names(_fold(name), spellings, cutoff=_SIMILARITY)]


def _familiar_rows() -> list[Row]:
    keys = ("arguments", "outputs", "plugin", "version", "state")
    blank: Row = {"arguments": [], "outputs": [], **dict.fromkeys(keys[2:], "")}
    return [
        {"name": name, "kind": framework, **blank, "doc": code}
        for framework, name, code in familiar_names()
    ]


def _rank(row: Row, wanted: Sequence[str]) -> int:
    """Return the quality of the match of all words with a row."""
    name = public_name(row["name"])
    joined = _match("".join(wanted), name)
    if joined <= _PREFIX:
        return joined
    text = f"{row['kind']} {row['plugin']} {row['doc']}"
    texts = [_fold(part) for part in re.split(r"\W+", text)]
    ranks = []
    for word in wanted:
        rank = _match(word, name)
        if rank == _NONE and _begins_part(word, texts):
            rank = _DESCRIPTION
        ranks.append(rank)
    return max(ranks)


def _match(word: str, name: str) -> int:
    """Return the quality of the match of a folded word with a name."""
    folded = _fold(name)
    if word not in folded:
        return _NONE
    if word in (folded, _fold(name.rpartition(".")[2])):
        return _EXACT
    if folded.startswith(word):
        return _PREFIX
    return _PART if _begins_part(word, [_fold(part) for part in _PARTS.findall(name)]) else _INSIDE


def _begins_part(word: str, parts: Sequence[str]) -> bool:
    """Return whether a word is the beginning of one part or of several consecutive ones."""
    return any("".join(parts[first:]).startswith(word) for first in range(len(parts)))


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
