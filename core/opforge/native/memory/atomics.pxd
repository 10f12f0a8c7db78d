# Counters that are read or changed without the GIL.

cdef extern from *:
    Py_ssize_t add_to "__atomic_add_fetch"(Py_ssize_t* total, Py_ssize_t value, int order) nogil
    Py_ssize_t load "__atomic_load_n"(const Py_ssize_t* number, int order) nogil
    void store "__atomic_store_n"(Py_ssize_t* number, Py_ssize_t value, int order) nogil
    int RELAXED "__ATOMIC_RELAXED"
