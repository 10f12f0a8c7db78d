import pytest

from opforge import gluon, plugin
from opforge.op.declaring.declaration import OperatorProp
from opforge.testing import CheckFailedError, check_distribution, distribution_parts


class Sevenfold(OperatorProp):
    """Multiply by seven."""

    name = "sevenfold"
    aliases = ("Sevenfold",)

    def compose(self, F, data):
        return data * 7


class Seven(gluon.HybridBlock):
    """Multiply by seven."""

    def hybrid_forward(self, F, x):
        return F.sevenfold(x)


class Twice(OperatorProp):
    """Double data."""

    name = "sevenfold"
    version = 2

    def compose(self, F, data):
        return data * 2


def both():
    """Return entry points of the operator, its alias and the layer."""
    operators = {name: "acme_seven:Sevenfold" for name in ("sevenfold", "Sevenfold")}
    return {"operators": operators, "layers": {"Seven": "acme_seven:Seven"}}


SOURCE = f"""
import sys

from opforge.plugin_api import hookimpl

Seven, Sevenfold = (getattr(sys.modules[{__name__!r}], name) for name in ("Seven", "Sevenfold"))

@hookimpl
def opforge_operators():
    return [Sevenfold]

@hookimpl
def opforge_layers():
    return [Seven]
"""


def test_operators_and_layers_are_checked_once_each(fake_dist):
    fake_dist("acme-seven", files={"acme_seven.py": SOURCE}, **both())
    reports = check_distribution("Acme_Seven")
    assert [(r.kind, r.subject) for r in reports] == [
        ("distribution", "acme-seven"),
        ("operator", "sevenfold"),
        ("layer", "Seven"),
    ]
    assert {report.provider for report in reports} == {"acme-seven 1.0"}


def test_each_part_can_be_checked_alone(fake_dist):
    fake_dist("acme-seven", files={"acme_seven.py": SOURCE}, **both())
    parts = distribution_parts("acme-seven")
    assert parts == ["distribution", "operator sevenfold", "layer Seven"]
    for part in parts:
        (report,) = check_distribution("acme-seven", part=part)
        assert f"{report.kind} {report.subject}".startswith(part)
    with pytest.raises(LookupError, match=r"no part 'sevenfold'; expected one of distribution, op"):
        check_distribution("acme-seven", part="sevenfold")


def test_stress_repeats_calls(fake_dist):
    fake_dist("acme-seven", files={"acme_seven.py": SOURCE}, **both())
    for stress in (1, 2):
        (report,) = check_distribution("acme-seven", only="sevenfold/repetition", stress=stress)
        assert report.outcomes[0].samples >= 200 * stress


def test_selection_and_minimum(fake_dist):
    fake_dist("acme-seven", files={"acme_seven.py": SOURCE}, **both())
    (report,) = check_distribution("acme-seven", only="sevenfold/forward$")
    assert [outcome.check for outcome in report.outcomes] == ["forward"]
    with pytest.raises(CheckFailedError, match=r"operator sevenfold(.|\n)*layer Seven"):
        check_distribution("acme-seven", minimum=50)


def test_metadata_that_disagrees_fails(fake_dist):
    fake_dist("acme-seven", operators=both()["operators"], files={"acme_seven.py": SOURCE})
    own = check_distribution("acme-seven", raises=False)[0]
    assert own.status_of("entry points") == "failed"
    assert "layer 'Seven'" in own.message_of("entry points")


@pytest.mark.parametrize("source", [SOURCE, SOURCE.partition("@hookimpl")[0]])
def test_an_entry_point_without_an_object_fails(fake_dist, source):
    given = {**both(), "layers": {"Seven": "acme_seven:Eight"}}
    fake_dist("acme-seven", files={"acme_seven.py": source}, **given)
    own = check_distribution("acme-seven", raises=False)[0]
    expected = (
        "entry point 'Seven' in the group 'opforge.layers' names acme_seven:Eight, "
        "but module 'acme_seven' has no attribute 'Eight'"
    )
    assert expected in own.message_of("entry points")
    assert own.status_of("loads") == ("passed" if "@hookimpl" in source else "failed")


def test_an_entry_point_of_another_object_fails(fake_dist):
    given = {**both(), "layers": {"Seven": "acme_seven:Sevenfold"}}
    fake_dist("acme-seven", files={"acme_seven.py": SOURCE}, **given)
    own = check_distribution("acme-seven", raises=False)[0]
    found = own.message_of("entry points")
    assert "names acme_seven:Sevenfold, but a hook registers" in found and ".Seven" in found


def test_a_plugin_that_does_not_load(fake_dist):
    fake_dist("acme-seven", files={"acme_seven.py": "raise ImportError('libseven.so')"}, **both())
    (own,) = check_distribution("acme-seven", raises=False)
    assert "libseven.so" in own.message_of("loads")
    assert distribution_parts("acme-seven") == ["distribution"]


def test_strict_mode_changes_nothing_in_the_report(fake_dist, monkeypatch):
    monkeypatch.setenv("OPFORGE_STRICT", "1")
    fake_dist("acme-seven", files={"acme_seven.py": "raise ImportError('libseven.so')"}, **both())
    (own,) = check_distribution("acme-seven", raises=False)
    assert own.status_of("loads") == "failed"


def test_a_distribution_that_is_not_there(fake_dist):
    fake_dist("acme-seven", operators=[Sevenfold])
    with pytest.raises(LookupError, match=r"'acme-six' is not an installed plugin.*acme-seven"):
        check_distribution("acme-six")


def test_an_older_version_is_reported_under_its_full_name(fake_dist):
    fake_dist("acme-versions", operators=[Twice, Sevenfold])
    reports = check_distribution("acme-versions", only="sevenfold(@1)?/copies")
    assert [report.subject for report in reports] == ["sevenfold@1", "sevenfold"]


@pytest.mark.parametrize(
    ("commands", "body", "text"),
    [
        ({"acme-run": "acme_run:run"}, "def run():\n    print(5)\n", "has no docstring"),
        ({"acme-run": "acme_run:run"}, "raise ImportError('libacme')\n", "libacme"),
        ({"ops": "acme_run:run"}, 'def run():\n    """Run."""\n', "has a command of this name"),
    ],
)
def test_commands_that_do_not_work_fail(fake_dist, tmp_path, commands, body, text):
    folder = fake_dist("acme-run", files={"acme_run.py": body})
    (points,) = folder.rglob("entry_points.txt")
    lines = "".join(f"{name} = {value}\n" for name, value in commands.items())
    points.write_text(f"[opforge.commands]\n{lines}")
    plugin.refresh()
    with pytest.raises(CheckFailedError, match=text):
        check_distribution("acme-run")
