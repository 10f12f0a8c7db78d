import threading

from opforge.base.scopes import ScopeType


def test_each_thread_and_each_root_has_its_own_innermost():
    class One(metaclass=ScopeType):
        pass

    class Inner(One):
        pass

    class Two(metaclass=ScopeType):
        pass

    outer = One.current
    assert type(outer) is One
    assert Inner.current is outer
    Inner.current = inner = Inner()
    assert One.current is inner
    assert type(Two.current) is Two
    found = []
    thread = threading.Thread(target=lambda: found.append(Inner.current))
    thread.start()
    thread.join()
    assert type(found[0]) is One
    assert found[0] is not outer
