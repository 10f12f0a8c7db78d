import pytest
from opforge_tools.scaffold.contribution import KINDS, OPERATORS, Contribution

from opforge.base.errors import ScaffoldError
from opforge.op.registry.kinds import KINDS as NOUNS


@pytest.mark.parametrize(
    ("kind", "name", "registered", "snake", "code"),
    [
        ("kernel", "fastGELU", "fastGELU", "fastGELU", "FastGELU"),
        ("optimizer", "ada_belief", "AdaBelief", "ada_belief", "AdaBelief"),
        ("metric", "AdaBelief", "AdaBelief", "ada_belief", "AdaBelief"),
        ("kvstore", "acme_ring", "acme_ring", "acme_ring", "AcmeRing"),
        ("model", "resNet50", "resNet50", "res_net50", "res_net50"),
    ],
)
def test_names_follow(kind, name, registered, snake, code):
    contribution = Contribution(kind, name)
    assert (contribution.registered, contribution.snake, contribution.object) == (
        registered,
        snake,
        code,
    )


def test_every_kind_is_one_of_the_table():
    for kind in KINDS:
        assert Contribution(kind, "acme").group == NOUNS[Contribution(kind, "acme").noun].group
    assert set(KINDS) - set(OPERATORS) <= set(NOUNS)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("cuda", "acme", "the kind is 'cuda', expected one of numpy"),
        ("metric", "a-b", "cannot be called as metric.a-b; pass another name of the metric"),
        ("composed", "lambda", "cannot be called as nd.lambda"),
    ],
)
def test_invalid_kinds_and_names_raise(kind, name, words):
    with pytest.raises(ScaffoldError, match="opforge new: ") as caught:
        Contribution(kind, name)
    assert words in str(caught.value)
