import pytest

from opforge.base.errors import ScaffoldError
from opforge.scaffold.project import KINDS, Project


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
        (["-acme"], "no name of a distribution"),
        (["acme swish"], "no name of a distribution"),
        (["2swish"], "'2swish', which Python cannot import"),
        (["json"], "acme-json"),
        (["opforge"], "acme-opforge"),
        (["acme", "cuda"], "the kind is 'cuda', expected one of numpy, composed, native-c"),
        (["opforge-lambda"], "nd.lambda; give another name of the operator with --operator"),
        (["acme", "numpy", False, "a-b"], "nd.a-b"),
        (["acme", "numpy", False, "_a"], "nd._a"),
    ],
)
def test_what_cannot_be_used(arguments, words):
    with pytest.raises(ScaffoldError, match="opforge new: ") as caught:
        Project(*arguments)
    assert words in str(caught.value)


def test_parts():
    assert Project("acme", "composed").parts == ("common", "composed")
    assert Project("acme", "native-c").parts == ("common", "native", "native-c")
    assert Project("acme", layer=True).parts == ("common", "numpy", "layer")


def test_values_are_enough_for_every_template():
    assert {Project("acme", kind).values["kind"] for kind in KINDS} == set(KINDS)
    assert Project("acme").values["opforge_version"].count(".") == 1
