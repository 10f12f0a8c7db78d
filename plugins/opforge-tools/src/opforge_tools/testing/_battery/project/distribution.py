"""`check_distribution`: the battery for everything that one installed distribution provides."""

from collections.abc import Iterator

from opforge import plugin
from opforge.op.registry import registry
from opforge.op.registry.naming import normalize
from opforge.plugin.commands import commands_of, load_command, name_problems
from opforge.plugin.remedies import failure_remedy
from opforge.plugin.source_commands import command_help

from ..checks.check import Check
from ..checks.contributions import check_contributions
from ..checks.layers import check_layer
from ..checks.operators import check_op
from ..checks.running import run_checks, selected
from ..report.report import CheckFailedError, Report
from .requirements import check_requirements

__all__ = ["check_distribution"]


def check_distribution(
    name: str, *, only: str | None = None, minimum: int | None = None, raises: bool = True
) -> list[Report]:
    """Run the battery on everything that a distribution provides, and on its metadata.

    Parameters
    ----------
    name : str
        Name of the distribution, for instance ``"opforge-softmax"``.
    only : str, optional
        Regular expression that ``name/check`` must match.
    minimum : int, optional
        Number of checks that must run for each operator and layer.
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
        No plugin distribution has this name.
    """
    state = next((s for s in plugin.states() if s.provider.key == normalize(name)), None)
    if state is None:
        installed = ", ".join(s.provider.name for s in plugin.states()) or "none"
        raise LookupError(
            f"{name!r} is not an installed plugin (installed: "
            f"{installed}). Install it, or pass the path of its project"
        )
    own = _own_report(state, only)
    reports = [own] if own.outcomes else []
    if state.state == "not loaded":  # the check that loads it was not selected
        plugin.RESOLVER.load(state.provider.name)
    if state.state == "loaded":
        reports += _reports(state.provider.name, only, minimum)
    wrong = [report for report in reports if not report.passed]
    if raises and wrong:
        raise CheckFailedError(*wrong)
    return reports


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
    """Check that metadata and code name the same contributions."""
    if state.problems:
        raise AssertionError("; ".join(state.problems))
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


def _reports(distribution: str, only: str | None, minimum: int | None) -> Iterator[Report]:
    """Yield the reports of all contributions; aliases are not separate operators."""
    for entry in _entries(registry.OPERATORS, distribution):
        if entry.name == entry.prop_class.name:
            report = check_op(entry.versioned_name, only=only, minimum=minimum, raises=False)
            if report.outcomes:
                yield report
    for entry in _entries(registry.LAYERS, distribution):
        report = check_layer(entry.full_name, only=only, minimum=minimum, raises=False)
        if report.outcomes:
            yield report
    yield from check_contributions(distribution, only)


def _entries(table: registry.Registry, distribution: str) -> list[registry.Entry]:
    return [entry for entry in table.entries() if entry.provider == distribution]
