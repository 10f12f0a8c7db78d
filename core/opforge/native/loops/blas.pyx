# distutils: language = c++
"""OpenBLAS, loaded from the package scipy-openblas32 when the first product needs it.

Loading on first use keeps `import opforge` fast. The library's own threads are disabled: opforge divides
a product and runs the parts on its threads. The memory for these calls is reserved when the library is
loaded, because OpenBLAS aborts the process if an allocation fails.
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

cdef extern from "<stdio.h>" nogil:
    int snprintf(char* text, size_t size, const char* format, ...)

cdef extern from "<stdlib.h>" nogil:
    int setenv(const char* name, const char* value, int overwrite)
    int unsetenv(const char* name)

cdef extern from "opforge_blas.hpp" namespace "opforge" nogil:
    bint cpp_enter_blas "opforge::enter_blas"() noexcept
    void cpp_leave_blas "opforge::leave_blas"() noexcept
    bint can_map(size_t nbytes) noexcept
    bint reserve_blas(sgemm_fn sgemm, int calls) noexcept
    cdef struct FirstCalls:
        Py_ssize_t wanted
    void register_blas_library(void* library) noexcept
    void make_first_call(void* arg, Py_ssize_t begin, Py_ssize_t end) noexcept
    int register_blas_fork() noexcept
    int kBlasBuffers

ctypedef void (*set_threads_fn)(int) noexcept nogil

cdef enum:
    # Address space: 25 MB for the library, one buffer that it allocates when opened, one for the first
    # reserved call, and a margin.
    LOADING_BYTES = 112 << 20
    WAKE_ALL = 1 << 20                 # grains of a loop that wakes all threads

# Written under the GIL.
cdef Blas table
cdef bint loaded = False
cdef void* opened = NULL               # the library, never closed
cdef int reserved_calls = 0            # concurrent calls for which buffers were requested


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


cdef void* find_routine(const char* name) noexcept nogil:
    cdef char[64] symbol_name
    if snprintf(symbol_name, sizeof(symbol_name), "scipy_%s_", name) >= <int>sizeof(symbol_name):
        return NULL
    return NULL if opened == NULL else dlsym(opened, symbol_name)


cdef void* open_library() except NULL:
    """Open the library with the environment set so that it starts no threads."""
    cdef void* library
    cdef bytes path
    cdef bytes key = b"OPENBLAS_NUM_THREADS"
    saved_value = os.environb.get(key)
    # os.environ stays unchanged: other threads read it and pass it on to child processes.
    setenv(key, b"1", 1)
    try:
        import scipy_openblas32         # opens the library, too

        folder = scipy_openblas32.get_lib_dir()
        path = os.path.join(folder, scipy_openblas32.get_library(fullname=True)).encode()
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL)
    finally:
        if saved_value is None:
            unsetenv(key)
        else:
            setenv(key, saved_value, 1)
    if library == NULL:
        raise ImportError(f"cannot load OpenBLAS from {path.decode()}: {dlerror().decode()}")
    return library


cdef void load() except *:
    global loaded, opened
    cdef void* library
    if not can_map(LOADING_BYTES):
        raise out_of_memory()
    try:
        library = open_library()
    except Exception as error:
        if lacked_memory(error):
            raise out_of_memory() from error
        raise
    if loaded:                         # another thread loaded it while the import released the GIL
        return
    register_blas_library(library)
    (<set_threads_fn>symbol(library, b"scipy_openblas_set_num_threads"))(1)
    table.sgemm = <sgemm_fn>symbol(library, b"scipy_cblas_sgemm")
    table.dgemm = <dgemm_fn>symbol(library, b"scipy_cblas_dgemm")
    table.sgemv = <sgemv_fn>symbol(library, b"scipy_cblas_sgemv")
    table.dgemv = <dgemv_fn>symbol(library, b"scipy_cblas_dgemv")
    table.sdot = <sdot_fn>symbol(library, b"scipy_cblas_sdot")
    table.ddot = <ddot_fn>symbol(library, b"scipy_cblas_ddot")
    reserve()
    # The first calls release the GIL too. Fork handlers take a lock, so they must be registered only once.
    if not loaded:
        if register_blas_fork() != 0:
            raise out_of_memory()
        opened = library
        loaded = True


cdef int max_calls() noexcept nogil:
    """Return how many calls can make progress at once: those of opforge's threads or of all processors."""
    return min(max(num_threads(), cpus), kBlasBuffers)


cdef int reserve() except -1:
    global reserved_calls
    reserved_calls = max_calls()
    if not reserve_blas(table.sgemm, reserved_calls):
        raise out_of_memory()
    cdef FirstCalls calls
    calls.wanted = num_threads()
    with nogil:
        parallel_for_worth(calls.wanted, WAKE_ALL, make_first_call, &calls)
    return 0


cdef out_of_memory():
    return OutOfMemoryError(
        f"no memory for OpenBLAS, which is loaded by the first matrix product: it needs {LOADING_BYTES} "
        "bytes of address space. Raise the limit (ulimit -v), or compute a small product before memory is "
        "short"
    )


cdef Blas* blas() except NULL:
    if not loaded:
        load()
    elif max_calls() > reserved_calls:
        reserve()
    return &table


cdef Blas* loaded_blas() noexcept nogil:
    return &table if loaded and max_calls() <= reserved_calls else NULL


cdef int cpus = available_cpus()
