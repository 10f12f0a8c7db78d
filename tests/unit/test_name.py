import threading

from opforge import name


def test_counters_are_per_hint():
    manager = name.NameManager()
    made = [manager.get(None, hint) for hint in ("dense", "conv", "dense")]
    assert made == ["dense0", "conv0", "dense1"]
    assert manager.get("mine", "dense") == "mine"


def test_managers_nest():
    outer, inner = name.NameManager(), name.Prefix("net_")
    with outer:
        assert name.NameManager.current is outer
        with inner:
            assert name.NameManager.current is inner
            assert name.NameManager.current.get("w", "x") == "net_w"
            assert name.NameManager.current.get(None, "x") == "net_x0"
        assert name.NameManager.current is outer


def test_threads_have_their_own():
    found = []
    with name.NameManager():
        thread = threading.Thread(
            target=lambda: found.append(name.NameManager.current.get(None, "t"))
        )
        thread.start()
        thread.join()
    assert found == ["t0"]


def test_a_manager_need_not_call_the_constructor():
    class Own(name.NameManager):
        def __init__(self):
            pass

        def get(self, given, hint):
            return given or f"own_{hint}"

    before = name.NameManager.current
    with Own() as own, own:
        assert name.NameManager.current.get(None, "x") == "own_x"
    assert name.NameManager.current is before
