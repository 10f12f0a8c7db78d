from opforge.gluon.hooks import HookHandle


def test_detach_is_final_and_repeatable():
    hooks = {}
    first, second = HookHandle(hooks, print), HookHandle(hooks, repr)
    assert list(hooks.values()) == [print, repr]
    first.detach()
    first.detach()
    assert list(hooks.values()) == [repr]
    with second:
        assert hooks
    assert not hooks
