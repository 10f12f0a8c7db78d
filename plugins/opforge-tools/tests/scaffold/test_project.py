import pytest
from opforge_tools.scaffold.contribution import Contribution
from opforge_tools.scaffold.project import KINDS, Project

from opforge.base.errors import ScaffoldError


@pytest.mark.parametrize(
    ("name", "package", "plugin", "operator", "class_name"),
    [
        ("opforge-swish", "opforge_swish", "swish", "swish", "Swish"),
        ("opforge-hard-swish", "opforge_hard_swish", "hard_swish", "hard_swish", "HardSwish"),
        ("acme-swish", "acme_swish", "acme_swish", "acme_swish", "AcmeSwish"),
        ("Acme.Swish_2", "acme_swish_2", "acme_swish_2", "acme_swish_2", "AcmeSwish2"),
    ],
)
def test_names_follow(name, package, plugin, operator, class_name):
    project = Project(name)
    assert (project.package, project.plugin) == (package, plugin)
    assert (project.operator, project.class_name) == (operator, class_name)


def test_an_operator_of_another_name():
    project = Project("acme-activations", operator="fastGELU")
    assert (project.package, project.class_name) == ("acme_activations", "FastGELU")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-acme"], "not a valid distribution name"),
        (["acme swish"], "not a valid distribution name"),
        (["2swish"], "'2swish', which Python cannot import"),
        (["json"], "acme-json"),
        (["opforge"], "acme-opforge"),
        (["acme", "cuda"], "the kind is 'cuda', expected one of numpy, composed, kernel, native-c"),
        (["opforge-lambda"], "nd.lambda; pass another name of the operator with --operator"),
        (["acme", "numpy", False, "a-b"], "nd.a-b"),
        (["acme", "numpy", False, "_a"], "nd._a"),
    ],
)
def test_invalid_projects_raise(arguments, words):
    with pytest.raises(ScaffoldError, match="opforge new: ") as caught:
        Project(*arguments)
    assert words in str(caught.value)


def test_parts():
    def parts(*arguments, **options):
        return [part for part, _ in Project("acme", *arguments, **options).parts]

    assert parts("composed") == ["common", "operator", "composed"]
    assert parts("native-c") == ["common", "operator", "native", "native-c"]
    assert parts(layer=True) == ["common", "operator", "numpy", "layer"]
    added = (Contribution("metric", "near"), Contribution("kernel", "silu"))
    assert parts("metric", added=added) == [
        *("common", "contribution", "metric", "contribution", "metric", "operator", "kernel"),
    ]


def test_values_are_enough_for_every_template():
    values = [dict(Project("acme", kind).parts)["common"] for kind in KINDS]
    assert [row["kind"] for row in values] == list(KINDS)
    assert values[0]["opforge_version"].count(".") == 1


def test_contributions_of_one_kind_have_modules_of_their_own():
    project = (
        Project("acme", "optimizer")
        .with_contribution("optimizer", "AdaBelief")
        .with_contribution("kvstore")
    )
    rows = dict(project.parts)["common"]["contributions"]
    assert [(row["registered"], row["module"], row["page"]) for row in rows] == [
        ("Acme", "optimizers", "index"),
        ("AdaBelief", "ada_belief", "ada_belief"),
        ("acme_kvstore", "kvstores", "acme_kvstore"),
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["optimizer", "acme"], "acme already has 'acme'"),
        (["metric", "Acme"], "acme already has 'Acme'"),
        (["native-c"], "compiled operators need a separate build"),
        (["layer"], "a layer wraps an operator, but acme has a optimizer"),
        (["cuda"], "the kind is 'cuda'"),
    ],
)
def test_invalid_contributions_raise(arguments, words):
    with pytest.raises(ScaffoldError, match="opforge new: ") as caught:
        Project("acme", "optimizer").with_contribution(*arguments)
    assert words in str(caught.value)


def test_a_layer_is_added_to_an_operator_once():
    project = Project("acme").with_contribution("layer")
    assert project.layer
    with pytest.raises(ScaffoldError, match="it already has one"):
        project.with_contribution("layer")
