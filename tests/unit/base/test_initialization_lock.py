import os
import threading

from opforge.base.initialization_lock import initializing


def test_one_thread_at_a_time_and_reentrant():
    entered = threading.Event()

    def enter():
        with initializing():
            entered.set()

    with initializing(), initializing():
        thread = threading.Thread(target=enter)
        thread.start()
        assert not entered.wait(0.05)
    thread.join()
    assert entered.is_set()


def test_a_forked_process_does_not_wait_for_a_thread_of_its_parent():
    held, done = threading.Event(), threading.Event()

    def hold():
        with initializing():
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if not child:
        os._exit(0 if initializing().acquire(timeout=5) else 1)
    assert os.waitpid(child, 0)[1] == 0
    done.set()
    thread.join()
