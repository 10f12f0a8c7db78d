from opforge.kvstore import ranks


class Alone:
    size, rank = 1, 0


class Pair:
    size, rank = 2, 1


def test_operators_know_ranks_while_there_are_several():
    assert ranks.joined() is None
    pair = Pair()
    try:
        ranks.join(Alone())
        assert ranks.joined() is None
        ranks.join(pair)
        assert ranks.joined() is pair
    finally:
        ranks.leave()
    assert ranks.joined() is None
