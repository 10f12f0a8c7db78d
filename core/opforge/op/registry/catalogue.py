"""Distributions that provide an operator, a layer or another contribution that is not installed.

Read only for "not found" errors, since metadata cannot tell what is *not* installed. First-party
names come from a list that ``scripts/first_party.py --write`` generates from the plugins' metadata,
others from the index of a catalogue (``opforge catalogue build``) that `OPFORGE_CATALOGUE` names.
"""

from functools import cache

from ...base import config
from .kinds import KINDS
from .naming import is_distribution_name

__all__ = ["STORED", "first_party", "providers"]

#: List of first-party names, in this package: noun -> distribution -> names.
STORED = "first_party.json"


def first_party(noun: str) -> dict[str, str]:
    """Return name -> distribution of this repository for one kind, or for "command".

    Examples
    --------
    >>> first_party("operator")["softmax"]
    'opforge-softmax'
    """
    return _first_party_table().get(noun, {})


@cache
def _first_party_table() -> dict[str, dict[str, str]]:
    # Imported here, because only errors need the list and `import opforge` needs neither module.
    import json
    from importlib.resources import files

    text = files(str(__package__)).joinpath(STORED).read_text(encoding="utf-8")
    return {
        noun: {name: distribution for distribution, names in table.items() for name in names}
        for noun, table in json.loads(text).items()
    }


def providers(noun: str) -> tuple[dict[str, str], str]:
    """Return name -> distribution that provides it, and the problem with the index, if any.

    Parameters
    ----------
    noun : str
        Kind of `op.registry.kinds`, or "custom operator", which is looked up as "operator".

    Examples
    --------
    >>> providers("operator")[0]["softmax"]
    'opforge-softmax'
    """
    kind = KINDS.get(noun, KINDS["operator"])
    own = first_party(kind.noun)
    path = config.get("OPFORGE_CATALOGUE")
    if not path:
        return own, ""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file).get(kind.plural, {})
        indexed = {str(name): _distribution(rows) for name, rows in table.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"OPFORGE_CATALOGUE={path} cannot be read ({type(error).__name__}: {error})"
        return own, problem
    return {**{name: text for name, text in indexed.items() if text}, **own}, ""


def _distribution(rows: list[dict[str, str]]) -> str:
    """Return the first distribution of a row that is safe in a pip command."""
    names = sorted(str(row["distribution"]) for row in rows)
    return next((name for name in names if is_distribution_name(name)), "")
