"""What `set_config` takes."""

import pytest

from opforge.base.errors import MXNetError
from opforge.native.threads import spans
from opforge.profiler.settings import Settings, settings_from

WATCHED = spans.names_of_watched()


def test_strings_are_accepted():
    found = settings_from({"profile_all": "true", "dump_period": "2", "aggregate_stats": 1})
    assert found == Settings(profile_all=True, dump_period=2.0, aggregate_stats=True)


def test_all_means_all():
    off = dict.fromkeys(("symbolic", "imperative", "memory", "api"), False)
    given = {f"profile_{name}": value for name, value in off.items()}
    assert settings_from(given).watched == WATCHED["objects"]
    assert settings_from({**given, "profile_all": True}).watched == sum(WATCHED.values())


@pytest.mark.parametrize(
    ("setting", "kind"),
    [("symbolic", "graphs"), ("imperative", "calls"), ("memory", "memory"), ("api", "interface")],
)
def test_each_kind_can_be_left_out(setting, kind):
    found = settings_from({f"profile_{setting}": False}).watched
    assert found == sum(WATCHED.values()) - WATCHED[kind]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bad": 1}, "Cannot find argument 'bad', Possible Arguments: profile_all"),
        ({"profile_all": "yes"}, "expect boolean but value='yes'"),
        ({"dump_period": "x"}, "expect float but value='x'"),
        ({"dump_period": 0}, "dump_period is 0.0; expected a number of seconds above 0"),
        ({"dump_period": "nan"}, "dump_period is nan"),
        ({"profile_process": "server"}, "expected 'worker'"),
    ],
)
def test_invalid_settings_are_named(given, message):
    with pytest.raises(MXNetError, match=message):
        settings_from(given)
