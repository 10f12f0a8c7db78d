"""Spare blocks for threads without the GIL, which C functions of plugins borrow and return.

A fresh block of 31 MB costs 3 to 4 ms of page faults; a spare one costs nothing. A spin flag guards
the lists. It is held for a few instructions and tried for about a microsecond: if its holder was
descheduled, the caller allocates from the system instead. No thread ever waits, and a forked child that
inherits a taken flag just gets no spare blocks. Checking for an empty list does not take the flag.
"""

from libc.string cimport memset

from opforge.native.memory.atomics cimport RELAXED, load, store
from opforge.native.memory.classes cimport N_CLASSES

cdef extern from *:
    """
    static char opforge_spares_busy = 0;
    static int opforge_spares_enter(void) {
        for (int round = 0; round < 100; ++round) {
            if (!__atomic_test_and_set(&opforge_spares_busy, __ATOMIC_ACQUIRE)) return 1;
    #if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
    #endif
        }
        return 0;
    }
    static void opforge_spares_leave(void) { __atomic_clear(&opforge_spares_busy, __ATOMIC_RELEASE); }
    """
    bint enter "opforge_spares_enter"() nogil
    void leave "opforge_spares_leave"() nogil

cdef struct Spare:                     # header of a free block
    Spare* next
    Py_ssize_t nbytes

cdef extern from *:
    Spare* first "__atomic_load_n"(Spare** list, int order) nogil
    void set_first "__atomic_store_n"(Spare** list, Spare* block, int order) nogil

cdef Spare* lists[N_CLASSES]
memset(lists, 0, sizeof(lists))
cdef Py_ssize_t total = 0


cdef char* take_spare(int size_class) noexcept nogil:
    cdef Spare* found
    if first(&lists[size_class], RELAXED) == NULL or not enter():
        return NULL
    found = pop(size_class)
    leave()
    return <char*>found


cdef Spare* pop(int size_class) noexcept nogil:
    """Return the first block of a list; the caller holds the flag."""
    cdef Spare* found = lists[size_class]
    if found != NULL:
        set_first(&lists[size_class], found.next, RELAXED)
        store(&total, total - found.nbytes, RELAXED)
    return found


cdef bint put_spare(char* data, int size_class, Py_ssize_t nbytes) noexcept nogil:
    if not enter():
        return False
    (<Spare*>data).next = lists[size_class]
    (<Spare*>data).nbytes = nbytes
    set_first(&lists[size_class], <Spare*>data, RELAXED)
    store(&total, total + nbytes, RELAXED)
    leave()
    return True


cdef Py_ssize_t spare_bytes() noexcept nogil:
    return load(&total, RELAXED)


cdef char* take_any(Py_ssize_t* nbytes) noexcept nogil:
    cdef int size_class
    cdef Spare* found = NULL
    if load(&total, RELAXED) == 0 or not enter():
        return NULL
    for size_class in range(N_CLASSES):
        found = pop(size_class)
        if found != NULL:
            nbytes[0] = found.nbytes
            break
    leave()
    return <char*>found
