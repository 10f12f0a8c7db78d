"""Why a name means what it means, in words, and the line that changes it."""

from typing import Any

from .. import plugin
from ..op.registry import catalogue, registry
from ..op.registry.decision import Decision
from ..op.registry.entry import CORE
from ..op.registry.naming import pin_line, pins
from ..op.registry.table import TABLES
from ..plugin.commands import decide_command

__all__ = ["explain_name"]

Row = dict[str, Any]


def explain_name(name: str) -> list[Row]:
    """Return how things of this name are settled, of each kind; imports no plugin.

    Returns
    -------
    list of dict
        One row for each kind that has the name, commands included, or one row if no kind
        has it: ``"name"``,
        ``"kind"``, ``"reason"``, ``"provider"``, ``"candidates"``, ``"disabled"``, ``"text"`` and
        ``"remedy"``, which is empty where there is nothing to mend.
    """
    # An operator may be one that the program registered, besides.
    rows = [
        _row(noun, registry.explain(name) if noun == "operator" else table.explain(name))
        for noun, table in TABLES.items()
    ]
    rows.append(_row("command", decide_command(name)))
    known = [row for row in rows if row["candidates"] or row["disabled"]]
    if known:
        return known
    return [row for row in rows if row["install"]] or rows[:1]


def _row(noun: str, decision: Decision) -> Row:
    short = decision.name.name
    shown = "::".join(filter(None, [decision.name.provider, short]))
    disabled = [
        state
        for state in plugin.states()
        if state.state == "disabled" and _has(state.provider, noun, short)
    ]
    table = catalogue.FIRST_PARTY.get(noun, {})
    install = table.get(short, "") if decision.reason == "not installed" else ""
    text, remedy = _words(noun, decision, install)
    refused = "; ".join(f"{s.provider.name} has it, but is {s.refusal}" for s in disabled)
    if refused and decision.reason == "not installed":
        text, remedy = refused, disabled[0].remedy
    elif refused:
        text = f"{text}; {refused}"
    return {
        "name": shown,
        "kind": noun,
        "reason": decision.reason,
        "provider": decision.provider,
        "candidates": list(decision.candidates),
        "disabled": [state.provider.name for state in disabled],
        "install": install,
        "text": f"{noun} {shown}: {text}",
        "remedy": remedy,
    }


def _words(noun: str, decision: Decision, install: str) -> tuple[str, str]:
    """Return the reason as a sentence, and the line that mends it."""
    name, provider = decision.name.name, decision.provider
    others = [text for text in decision.candidates if text != provider]
    verb = "does" if len(others) == 1 else "do"
    also = f"; so {verb} {', '.join(others)}" if others else ""
    match decision.reason:
        case "full name":
            return f"{provider} provides it, as its full name says{also}", ""
        case "preferred":
            return f"{provider} provides it, which is preferred here{also}", ""
        case "pinned":
            return f"{provider} provides it, pinned by {_pinned_by(name)}{also}", ""
        case "primitive set":
            others = [text for text in _plugins_with(noun, name) if text != CORE]
            if noun == "command":
                passed_over = f"; that of {', '.join(others)} is passed over" if others else ""
                return f"it is opforge's own, which no plugin can replace{passed_over}", ""
            behind = (
                f"; {', '.join(others)} provides it too, as {others[0]}::{name} or with a pin"
                if others
                else ""
            )
            own = "it is in the primitive set" if noun == "operator" else "it is opforge's own"
            return f"{own}, which goes before plugins{behind}", ""
        case "only provider":
            return f"{provider} is the only enabled plugin that provides it", ""
        case "program":
            return "this program registered it", ""
        case "ambiguous":
            found = decision.candidates
            line = f"opforge plugins pin {name} {found[0]}, or {pin_line(name, found[0])}"
            return f"ambiguous: {', '.join(found)} provide it and nothing decides", line
        case "not a provider":
            return _not_a_provider(decision)
    if install:
        return f"no installed plugin provides it; {install} does", f"pip install {install}"
    return "no installed plugin provides it", f"opforge ops search {name}"


def _not_a_provider(decision: Decision) -> tuple[str, str]:
    name, provider = decision.name.name, decision.provider
    have = ", ".join(decision.candidates) or "nobody"
    if decision.name.provider:
        text = f"{provider} does not provide it or is not enabled; {have} does"
        return text, f"pip install {provider}"
    by = _pinned_by(name)
    line = f"opforge plugins unpin {name}" if by != "OPFORGE_PIN" else "change OPFORGE_PIN"
    text = f"{by} pins it to {provider}, which does not provide it or is not enabled; {have} does"
    return text, line


def _pinned_by(name: str) -> str:
    return "OPFORGE_PIN" if name in pins() else plugin.RESOLVER.settings().path


def _plugins_with(noun: str, name: str) -> list[str]:
    return [s.provider.name for s in plugin.states() if _has(s.provider, noun, name)]


def _has(provider: plugin.Provider, noun: str, name: str) -> bool:
    if noun == "command":
        return name in provider.commands
    return provider.has(noun, name)
