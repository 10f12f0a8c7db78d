"""Explanation of which provider a name resolves to, and the command that changes it."""

from typing import Any

from ... import plugin
from ...op.registry import catalogue, registry
from ...op.registry.decision import Decision
from ...op.registry.entry import CORE
from ...op.registry.naming import pin_line, pins
from ...op.registry.table import TABLES
from ...plugin.commands import decide_command

__all__ = ["explain_name"]

Row = dict[str, Any]


def explain_name(name: str) -> list[Row]:
    """Return how a name is resolved, for each kind of contribution; imports no plugin.

    Returns
    -------
    list of dict
        One row for each kind that has the name, including commands, or a single row if none has
        it: ``"name"``, ``"kind"``, ``"reason"``, ``"provider"``, ``"candidates"``, ``"disabled"``,
        ``"text"`` and ``"remedy"``, which is empty if there is no problem.
    """
    # Operators may also be registered by the program.
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
    table = catalogue.first_party(noun)
    install = table.get(short, "") if decision.reason == "not installed" else ""
    text, remedy = _words(noun, decision, install)
    refused = "; ".join(f"{s.provider.name} provides it, but is {s.reason}" for s in disabled)
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
    """Return the reason as a sentence, and the command that fixes it."""
    name, provider = decision.name.name, decision.provider
    others = [text for text in decision.candidates if text != provider]
    also = f"; also provided by {', '.join(others)}" if others else ""
    match decision.reason:
        case "full name":
            return f"provided by {provider}, which the full name specifies{also}", ""
        case "preferred":
            return f"provided by {provider}, which is preferred here{also}", ""
        case "pinned":
            return f"provided by {provider}, pinned in {_pinned_by(name)}{also}", ""
        case "primitive set":
            others = [text for text in _plugins_with(noun, name) if text != CORE]
            if noun == "command":
                ignored = f"; that of {', '.join(others)} is ignored" if others else ""
                return f"opforge's own command, which plugins cannot replace{ignored}", ""
            behind = (
                f"; also provided by {', '.join(others)}: use {others[0]}::{name} or a pin"
                if others
                else ""
            )
            own = "part of the primitive set" if noun == "operator" else "opforge's own"
            return f"{own}, which takes precedence over plugins{behind}", ""
        case "only provider":
            return f"provided by {provider}, the only enabled plugin that has it", ""
        case "program":
            return "registered by this program", ""
        case "ambiguous":
            found = decision.candidates
            line = f"opforge plugins pin {name} {found[0]}, or {pin_line(name, found[0])}"
            return f"ambiguous: provided by {', '.join(found)}, without a pin", line
        case "not a provider":
            return _not_a_provider(decision)
    if install:
        return f"not installed; available in {install}", f"pip install {install}"
    return "not provided by any installed plugin", f"opforge ops search {name}"


def _not_a_provider(decision: Decision) -> tuple[str, str]:
    name, provider = decision.name.name, decision.provider
    have = ", ".join(decision.candidates) or "no plugin"
    if decision.name.provider:
        text = f"{provider} does not provide it or is not enabled; provided by {have}"
        return text, f"pip install {provider}"
    by = _pinned_by(name)
    line = f"opforge plugins unpin {name}" if by != "OPFORGE_PIN" else "change OPFORGE_PIN"
    text = f"{by} pins it to {provider}, which does not provide it or is not enabled; "
    text += f"provided by {have}"
    return text, line


def _pinned_by(name: str) -> str:
    return "OPFORGE_PIN" if name in pins() else plugin.RESOLVER.settings().path


def _plugins_with(noun: str, name: str) -> list[str]:
    return [s.provider.name for s in plugin.states() if _has(s.provider, noun, name)]


def _has(provider: plugin.Provider, noun: str, name: str) -> bool:
    if noun == "command":
        return name in provider.commands
    return provider.has(noun, name)
