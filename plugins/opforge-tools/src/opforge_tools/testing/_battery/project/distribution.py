"""`check_distribution`: the battery for everything that one installed distribution provides."""

from opforge import plugin
from opforge.op.registry.entry import Entry
from opforge.op.registry.naming import normalize
from opforge.op.registry.table import TABLES
from opforge.plugin.commands import commands_of, load_command, name_problems
from opforge.plugin.loading import unresolved
from opforge.plugin.remedies import failure_remedy
from opforge.plugin.source_commands import command_help

from ..checks.check import Check
from ..checks.contributions import check_contribution
from ..checks.layers import check_layer
from ..checks.operators import check_op
from ..checks.running import run_checks, selected
from ..report.report import CheckFailedError, Report
from .requirements import check_requirements

__all__ = ["check_distribution", "distribution_parts"]

#: Part of a distribution that is not one of its contributions: loading and metadata.
_OWN = "distribution"


def check_distribution(
    name: str,
    *,
    part: str | None = None,
    only: str | None = None,
    minimum: int | None = None,
    stress: int = 1,
    raises: bool = True,
) -> list[Report]:
    """Run the battery on everything that a distribution provides, and on its metadata.

    Parameters
    ----------
    name : str
        Name of the distribution, for instance ``"opforge-softmax"``.
    part : str, optional
        One of `distribution_parts`; None: all of them.
    only : str, optional
        Regular expression that ``name/check`` must match.
    minimum : int, optional
        Number of checks that must run for each operator and layer.
    stress : int, default 1
        Factor of the number of repeated calls that search for leaks and races.
    raises : bool, default True
        Whether to raise if a report is not a pass.

    Returns
    -------
    list of Report
        The report of the distribution, then one for each contribution for which a check ran.

    Raises
    ------
    CheckFailedError
        A report is not a pass; the message has the tables of those reports.
    LookupError
        No plugin distribution has this name, or it has no such part.
    """
    state = _state(name)
    # Its first check loads the plugin.
    reports = [_own_report(state, only)] if part in (None, _OWN) else []
    contributions = _contributions(state)
    if part not in (None, _OWN, *contributions):
        expected = ", ".join([_OWN, *contributions])
        raise LookupError(f"{name} has no part {part!r}; expected one of {expected}")
    reports += [
        _report(noun, entry, only, minimum, stress)
        for key, (noun, entry) in contributions.items()
        if part in (None, key)
    ]
    reports = [report for report in reports if report.outcomes]
    wrong = [report for report in reports if not report.passed]
    if raises and wrong:
        raise CheckFailedError(*wrong)
    return reports


def distribution_parts(name: str) -> list[str]:
    """Return what `check_distribution` checks, so that a test of each can run in parallel.

    Parameters
    ----------
    name : str
        Name of the distribution.

    Returns
    -------
    list of str
        "distribution", and one for each contribution, such as "operator softmax". Only the first
        if the plugin cannot be loaded, which its check reports.

    Raises
    ------
    LookupError
        No plugin distribution has this name.
    """
    return [_OWN, *_contributions(_state(name))]


def _state(name: str) -> plugin.PluginState:
    state = next((s for s in plugin.states() if s.provider.key == normalize(name)), None)
    if state is None:
        installed = ", ".join(s.provider.name for s in plugin.states()) or "none"
        raise LookupError(
            f"{name!r} is not an installed plugin (installed: "
            f"{installed}). Install it, or pass the path of its project"
        )
    return state


def _contributions(state: plugin.PluginState) -> dict[str, tuple[str, Entry]]:
    """Load a plugin; return kind and entry of each contribution by the name of its part.

    Aliases are not separate operators.
    """
    if state.state != "failed":  # in strict mode, loading it again would raise
        plugin.RESOLVER.load(state.provider.name)
    found: dict[str, tuple[str, Entry]] = {}
    for noun, table in TABLES.items():
        for entry in table.entries():
            is_own = entry.provider == state.provider.name
            if is_own and (noun != "operator" or entry.name == entry.prop_class.name):
                key = f"{noun} {entry.name}"
                # Of several versions, those after the first have theirs in the name.
                found[f"{key}@{entry.operator_version}" if key in found else key] = noun, entry
    return found


def _report(noun: str, entry: Entry, only: str | None, minimum: int | None, stress: int) -> Report:
    """Return the report of a contribution."""
    if noun == "operator":
        return check_op(
            entry.versioned_name, only=only, minimum=minimum, stress=stress, raises=False
        )
    if noun == "layer":
        return check_layer(entry.full_name, only=only, minimum=minimum, raises=False)
    return check_contribution(noun, entry, only)


def _own_report(state: plugin.PluginState, only: str | None) -> Report:
    checks = (
        Check("loads", _check_loads),
        Check("entry points", _check_entry_points),
        Check("requirements", check_requirements),
        *((Check("commands", _check_commands),) if state.provider.commands else ()),
    )
    provider = state.provider
    outcomes = run_checks(selected(checks, provider.name, only), state, {})
    title = f"{provider.name} {provider.version}"
    return Report(provider.name, "distribution", title, outcomes)


def _check_loads(state: plugin.PluginState) -> int:
    """Check that the plugin can be imported and registered."""
    plugin.RESOLVER.load(state.provider.name)
    fix = failure_remedy(state.provider.name, state.error)
    why = f"{state.trace}\nTo fix it: {fix}" if state.trace else state.reason or state.state
    if state.state != "loaded":
        raise AssertionError(f"the plugin does not load: {why}")
    return len(state.provider.modules)


def _check_entry_points(state: plugin.PluginState) -> int:
    """Check that each entry point names the object that is registered, and each name has one."""
    problems = [*state.problems, *unresolved(state.provider)]
    if problems:
        raise AssertionError("; ".join(problems))
    return sum(map(len, state.provider.provides.values()))


def _check_commands(state: plugin.PluginState) -> int:
    """Check that each command can be imported and has a docstring."""
    problems = name_problems(state.provider)
    if problems:
        raise AssertionError("; ".join(problems))
    for command in commands_of(state.provider):
        load_command(command)
        if not command_help(command.value):
            raise AssertionError(
                f"{command.title} has no docstring; `opforge --help` shows its first paragraph"
            )
    return len(state.provider.commands)
