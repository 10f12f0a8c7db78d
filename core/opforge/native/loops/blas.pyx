# distutils: language = c++
"""OpenBLAS, loaded from the package scipy-openblas32 when the first product needs it.

Loading at the first call keeps it out of the time that `import opforge` takes. Its own threads are
off: a product is cut and the cuts run on opforge's threads, side by side. What memory those calls need
is reserved at loading, because OpenBLAS ends the process where it gets none.
"""

import os

from opforge.native.threads.parallel cimport num_threads, parallel_for_worth

from opforge.base.errors import OutOfMemoryError
from opforge.base.limits import available_cpus
from opforge.base.out_of_memory import lacked_memory

cdef extern from "dlfcn.h" nogil:
    void* dlopen(const char*, int)
    void* dlsym(void*, const char*)
    char* dlerror()
    int RTLD_NOW, RTLD_LOCAL

cdef extern from "<stdlib.h>" nogil:
    int setenv(const char* name, const char* value, int overwrite)
    int unsetenv(const char* name)

cdef extern from "opforge_blas.hpp" namespace "opforge" nogil:
    bint cpp_enter_blas "opforge::enter_blas"() noexcept
    void cpp_leave_blas "opforge::leave_blas"() noexcept
    bint has_room(size_t nbytes) noexcept
    bint reserve_blas(sgemm_fn sgemm, int calls) noexcept
    cdef struct FirstCalls:
        Py_ssize_t wanted
    void note_blas(void* library) noexcept
    void make_first_call(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept
    int register_blas_fork() noexcept
    int kBlasBuffers

ctypedef void (*set_threads_fn)(int) noexcept nogil

cdef enum:
    # Bytes of addresses: 25 MB for the library, one buffer that it takes when it is opened, one that
    # the reserve begins with, and some to spare.
    LOADING = 112 << 20
    WAKE_ALL = 1 << 20                 # grains of a loop for which all threads are woken

# Written under the GIL.
cdef Blas table
cdef bint loaded = False
cdef int reserved = 0                  # calls at once for which buffers were asked


cdef bint enter_blas() noexcept nogil:
    return cpp_enter_blas()


cdef void leave_blas() noexcept nogil:
    cpp_leave_blas()


cdef void* symbol(void* library, bytes name) except NULL:
    cdef void* address = dlsym(library, name)
    if address == NULL:
        raise ImportError(
            f"scipy-openblas32 has no symbol {name.decode()}; install scipy-openblas32>=0.3.28"
        )
    return address


cdef void* opened() except NULL:
    """Open the library; it starts its threads when it is opened, so it is told before not to."""
    cdef void* library
    cdef bytes path
    cdef bytes key = b"OPENBLAS_NUM_THREADS"
    before = os.environb.get(key)
    # Not in os.environ, which other threads read and hand to their children.
    setenv(key, b"1", 1)
    try:
        import scipy_openblas32         # opens the library, too

        folder = scipy_openblas32.get_lib_dir()
        path = os.path.join(folder, scipy_openblas32.get_library(fullname=True)).encode()
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL)
    finally:
        if before is None:
            unsetenv(key)
        else:
            setenv(key, before, 1)
    if library == NULL:
        raise ImportError(f"cannot load OpenBLAS from {path.decode()}: {dlerror().decode()}")
    return library


cdef void load() except *:
    global loaded
    cdef void* library
    if not has_room(LOADING):
        raise no_memory()
    try:
        library = opened()
    except Exception as error:
        if lacked_memory(error):
            raise no_memory() from error
        raise
    if loaded:                         # the import let other threads in, and one came here first
        return
    note_blas(library)
    (<set_threads_fn>symbol(library, b"scipy_openblas_set_num_threads"))(1)
    table.sgemm = <sgemm_fn>symbol(library, b"scipy_cblas_sgemm")
    table.dgemm = <dgemm_fn>symbol(library, b"scipy_cblas_dgemm")
    table.sgemv = <sgemv_fn>symbol(library, b"scipy_cblas_sgemv")
    table.dgemv = <dgemv_fn>symbol(library, b"scipy_cblas_dgemv")
    reserve()
    # First calls let others in, too. What is done before a fork must not be done twice: it takes a lock.
    if not loaded:
        if register_blas_fork() != 0:
            raise no_memory()
        loaded = True


cdef int calls_at_once() noexcept nogil:
    """As many as may make progress: opforge's threads, and the user's on all processors."""
    return min(max(num_threads(), cpus), kBlasBuffers)


cdef int reserve() except -1:
    global reserved
    reserved = calls_at_once()
    if not reserve_blas(table.sgemm, reserved):
        raise no_memory()
    cdef FirstCalls calls
    calls.wanted = num_threads()
    with nogil:
        parallel_for_worth(calls.wanted, WAKE_ALL, make_first_call, &calls)
    return 0


cdef no_memory():
    return OutOfMemoryError(
        f"no memory for OpenBLAS, which the first matrix product loads: it needs {LOADING} bytes of "
        "addresses. Raise the limit (ulimit -v), or make a small product before memory is short"
    )


cdef Blas* blas() except NULL:
    if not loaded:
        load()
    elif calls_at_once() > reserved:
        reserve()
    return &table


cdef Blas* loaded_blas() noexcept nogil:
    return &table if loaded and calls_at_once() <= reserved else NULL


cdef int cpus = available_cpus()
