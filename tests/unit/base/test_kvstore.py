import pytest

from opforge.base.kvstore import LOCAL_STORES, check_kvstore


@pytest.mark.parametrize("kvstore", [None, *LOCAL_STORES, "Device"])
def test_stores_of_this_process(kvstore):
    check_kvstore("Trainer", kvstore)


@pytest.mark.parametrize(
    "kvstore", ["dist", "dist_sync", "dist_async_device", "DIST_SYNC", "p3", "horovod", "byteps"]
)
def test_other_processes_are_out_of_reach(kvstore):
    text = rf"^Trainer: got kvstore='{kvstore}', expected 'local'.* Pass kvstore='device'"
    with pytest.raises(ValueError, match=text):
        check_kvstore("Trainer", kvstore)


def test_an_object_is_no_name():
    with pytest.raises(TypeError, match=r"must be a str or None, got object; pass kvstore='dev"):
        check_kvstore("Trainer", object())
