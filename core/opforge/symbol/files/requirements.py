"""Check of a graph's bill of materials against the installed plugins.

Only metadata is read; nothing is imported. Missing operators are an error before any part of the
graph is built. Another version is a warning, and only if its number indicates an incompatibility.
"""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ... import plugin
from ...base.errors import OperatorNotFoundError
from ...op.registry import registry
from ...op.registry.naming import normalize, pin_line
from ...op.registry.preference import preferred
from ...op.registry.table import current_pins
from .bill_of_materials import Material, record_hash

__all__ = ["Finding", "check_bill", "chosen_providers", "examine", "install_line"]

#: States with which a graph cannot be loaded.
_FATAL = ("missing", "disabled", "lacking")
_RELEASE = re.compile(r"(?:\d+!)?(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Finding:
    """One operator of a bill, and its state in this installation.

    Parameters
    ----------
    material : Material
    state : str
        ``ok``; ``changed``: same version, other files; ``drifted``: another, compatible version;
        ``incompatible``: another major version; ``replaced``: a pin or preference selects
        another provider; ``missing``; ``disabled``; ``lacking``: installed without this operator.
    installed : str
        Installed version of the provider.
    text : str
        Description for users; empty for ``ok``.
    """

    material: Material
    state: str
    installed: str = ""
    text: str = ""

    @property
    def fatal(self) -> bool:
        """True if the graph cannot be loaded."""
        return self.state in _FATAL


def examine(materials: Iterable[Material]) -> list[Finding]:
    """Return the state of each operator of a bill in this installation."""
    installed = {state.provider.key: state for state in plugin.states()}
    return [_examine(material, installed) for material in materials]


def check_bill(materials: Sequence[Material]) -> None:
    """Raise one error for all missing operators; warn of possibly incompatible versions.

    Raises
    ------
    OperatorNotFoundError
        A provider is not installed or disabled, or it no longer provides the operator.
    """
    findings = examine(materials) if materials else []
    fatal = [finding for finding in findings if finding.fatal]
    if fatal:
        lines = ["it needs operators that are not installed:", *_indent_findings(fatal)]
        line = install_line(fatal)
        if line:
            lines.append(f"If you trust the source of the file: {line}")
        raise OperatorNotFoundError("\n".join(lines))
    incompatible = [finding for finding in findings if finding.state == "incompatible"]
    if incompatible:
        lines = ["the saved graph may behave differently here:", *_indent_findings(incompatible)]
        # Frames: check_bill, the parser, load or load_json, and the caller.
        warnings.warn("\n".join(lines), UserWarning, stacklevel=4)


def chosen_providers(materials: Iterable[Material]) -> dict[str, str]:
    """Return the provider of each operator name in a graph with this bill.

    With several providers of a name, a graph thus gets the one it was saved with. Pins and
    preferences take precedence; a name that the graph uses with two providers is resolved at each
    node.
    """
    found: dict[str, set[str]] = {}
    for material in materials:
        found.setdefault(material.name, set()).add(material.provider)
    return {
        name: provider
        for name, (provider, *others) in found.items()
        if provider and not others and not _users_choice(name)
    }


def _users_choice(name: str) -> str:
    """Return the provider that a pin or preference selects, or an empty string."""
    if not preferred() and not current_pins():
        return ""  # the usual case, without a search in the metadata
    decision = registry.OPERATORS.explain(name)
    asked = decision.reason in ("preferred", "pinned", "not a provider")
    return decision.provider if asked else ""


def install_line(findings: Iterable[Finding]) -> str:
    """Return the command that installs the missing plugins, or an empty string.

    Examples
    --------
    >>> install_line([Finding(Material("gelu", "acme-gelu", "1.2.0"), "missing")])
    "pip install 'acme-gelu>=1.2.0'"
    """
    wanted = set()
    for finding in findings:
        # A local version, such as 1.2+cpu, can only be compared for equality.
        public = finding.material.version.partition("+")[0]
        relation = {"missing": ">=", "lacking": "=="}.get(finding.state)
        if relation and finding.material.provider:
            version = f"{relation}{public}" if public else ""
            wanted.add(f"'{finding.material.provider}{version}'")
    return f"pip install {' '.join(sorted(wanted))}" if wanted else ""


def _examine(material: Material, installed: Mapping[str, plugin.PluginState]) -> Finding:
    if not material.provider:
        return _check_registered(material)
    key = normalize(material.provider)
    who = _label(material)
    choice = _users_choice(material.name)
    if choice and normalize(choice) != key:
        return Finding(material, "replaced", "", f"{choice} is pinned or preferred to {who}")
    entry = registry.OPERATORS.providers(material.name).get(key)
    if entry is not None:
        return _versions(material, entry.version)
    state = installed.get(key)
    if state is None:
        return Finding(material, "missing", "", f"{who} is not installed{_others(material)}")
    version = state.provider.version
    if state.state == "disabled":
        text = f"{who} is installed but {state.reason or 'disabled'}: {state.remedy}"
        return Finding(material, "disabled", version, text)
    if material.name not in state.provider.provides["operator"]:
        text = f"{who}: version {version} is installed, which does not provide this operator"
        return Finding(material, "lacking", version, text)
    return _versions(material, version)


def _check_registered(material: Material) -> Finding:
    """Check an operator that was registered by the program that saved the graph."""
    if material.name in registry.custom_names():
        return Finding(material, "ok")
    where = f" by {material.defined_by}" if material.defined_by else ""
    text = (
        f"operator {material.name!r} was registered by the program that saved the graph{where}; "
        "run that registration before loading"
    )
    return Finding(material, "missing", "", text)


def _versions(material: Material, here: str) -> Finding:
    who = _label(material)
    if here == material.version:
        record = record_hash(material.provider)
        if record and material.record and record != material.record:
            text = f"{who}: the same version is installed from other files"
            return Finding(material, "changed", here, text)
        return Finding(material, "ok", here)
    if _compatible(material.version) == _compatible(here):
        return Finding(material, "drifted", here, f"{who}: version {here} is installed")
    text = f"{who}: version {here} is installed, which may be incompatible"
    return Finding(material, "incompatible", here, text)


def _compatible(version: str) -> tuple[str | None, ...]:
    """Return the part of a version that changes with each incompatible release.

    It is the major number; before 1.0, also the minor number.
    """
    match = _RELEASE.match(version)
    if match is None:
        return (version,)
    major, minor = match.groups()
    return (major, minor) if major == "0" else (major,)


def _label(material: Material) -> str:
    return f"operator {material.name!r} of {material.provider} {material.version}".rstrip()


def _others(material: Material) -> str:
    """Return the pins that select another provider of the operator; the choice is the user's."""
    others = sorted(
        {
            state.provider.name
            for state in plugin.states()
            if state.state != "disabled" and material.name in state.provider.provides["operator"]
        }
    )
    if not others:
        return ""
    lines = " or ".join(pin_line(material.name, name) for name in others)
    return f"; to use another provider's: {lines}"


def _indent_findings(findings: Iterable[Finding]) -> list[str]:
    return [f"  {finding.text}" for finding in findings]
