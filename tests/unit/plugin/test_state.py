"""State of a plugin: failures of single contributions and of all."""

from opforge.plugin.discovery import Provider
from opforge.plugin.state import PluginState

PROVIDER = Provider(
    "acme", "1.0", provides={"operator": {"a": "acme:A"}, "metric": {"M": "acme:M"}}
)


def test_a_failure_of_the_hooks_is_that_of_each_contribution():
    state = PluginState(PROVIDER, "failed", error="hooks failed", trace="trace of the hooks")
    assert state.failure("operator", "a") == state.failure("", "") == "trace of the hooks"


def test_a_contribution_has_its_own_failure():
    failures = {("metric", "M"): "trace of M"}
    state = PluginState(PROVIDER, "failed", trace="trace of M", is_started=True, failures=failures)
    assert state.failure("operator", "a") == ""
    assert state.failure("metric", "m") == "trace of M", "names of metrics are case-insensitive"


def test_the_title_has_the_version():
    assert PluginState(PROVIDER).title == "plugin acme 1.0"
    assert PluginState(PROVIDER).problems == []
