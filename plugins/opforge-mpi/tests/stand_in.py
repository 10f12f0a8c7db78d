"""Stand-in for MPI whose ranks are threads of one process, for the parts that the plugin uses.

Sanitizers can check the engine and memory accesses of such ranks; the machine's MPI library is not
built with them.
"""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np


class _Request:
    """Request that completes once all keys it needs are posted, which are passed to `take`."""

    def __init__(self, hub, keys, take=lambda posted: None):
        self._hub, self._keys, self._take = hub, keys, take

    def Test(self):
        with self._hub.changed:
            if self._keys is None:
                return True
            if any(key not in self._hub.posted for key in self._keys):
                return False
            self._take([self._hub.posted[key] for key in self._keys])
            self._keys = None
            return True

    @staticmethod
    def Testall(requests):
        return all([request.Test() for request in requests])


class _Hub:
    """Values exchanged between ranks."""

    def __init__(self):
        self.changed = threading.Condition()
        self.posted = {}
        self.sent = Counter()  # bytes that each rank has sent to others, by communicator

    def post(self, key, value):
        with self.changed:
            self.posted[key] = value
            self.changed.notify_all()


class Comm:
    """A communicator of `size` threads, for the thread of one rank."""

    def __init__(self, hub, rank, size, name="world"):
        self.hub, self.rank, self.size, self.name = hub, rank, size, name
        self._turns = Counter()

    def _next(self, what):
        self._turns[what] += 1
        return (self.name, what, self._turns[what])

    def _together(self, value, take=lambda posted: None):
        """Send a value to all ranks; return those of all, by rank."""
        turn = self._next("together")
        self.hub.post((*turn, self.rank), value)
        return _Request(self.hub, [(*turn, rank) for rank in range(self.size)], take)

    def allgather(self, value):
        found = []
        request = self._together(value, found.extend)
        with self.hub.changed:
            assert self.hub.changed.wait_for(request.Test, 60)
        return found

    def Barrier(self):
        self.allgather(None)

    def Dup(self):
        return Comm(self.hub, self.rank, self.size, self._next("dup"))

    def Split_type(self, kind):
        return self.Dup()

    def Split(self, color, key):
        turn = self._next("split")
        wishes = enumerate(self.allgather((color, key)))
        members = [rank for _, rank in sorted((at, r) for r, (one, at) in wishes if one == color)]
        return Comm(self.hub, members.index(self.rank), len(members), (*turn, color))

    def Free(self):
        pass

    def Isend(self, data, dest, tag=0):
        array, _ = data
        self.hub.sent[self.name, self.rank] += array.nbytes
        self.hub.post((*self._next(("to", dest, tag)), self.rank, dest), array.copy())
        return _Request(self.hub, [])

    def Irecv(self, data, source, tag=0):
        # The peer sends as many messages as were sent from here.
        array, _ = data
        name, _, count = self._next(("from", source, tag))
        key = (name, ("to", self.rank, tag), count, source, self.rank)
        return _Request(self.hub, [key], lambda posted: array.__setitem__(..., posted[0]))

    def Ibcast(self, data, root):
        return self._together(np.array(data), lambda posted: data.__setitem__(..., posted[root]))


class _Window:
    """Memory window; the threads share their memory anyway."""

    def __init__(self, nbytes, comm):
        self._pieces = comm.allgather(np.zeros(nbytes, np.uint8))

    def Lock_all(self, assertion):
        pass

    def Sync(self):
        pass

    def Shared_query(self, rank):
        return (self._pieces[rank],)


MPI = SimpleNamespace(
    BYTE=None,
    UNDEFINED=-1,
    COMM_TYPE_SHARED=None,
    MODE_NOCHECK=None,
    THREAD_MULTIPLE=3,
    Query_thread=lambda: 3,
    Info=SimpleNamespace(Create=lambda facts: None),
    Win=SimpleNamespace(Allocate_shared=lambda nbytes, unit, info, comm: _Window(nbytes, comm)),
)


def run(size, function):
    """Return the results of ``function(comm)`` on `size` ranks."""
    hub = _Hub()
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(lambda rank: function(Comm(hub, rank, size)), range(size)))
