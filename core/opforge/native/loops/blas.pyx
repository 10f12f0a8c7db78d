"""OpenBLAS, loaded from the package scipy-openblas32 when the first product needs it.

Loading at the first call keeps it out of the time that `import opforge` takes. Its own threads are
off: a product is cut and the cuts run on opforge's threads, side by side.
"""

import os

cdef extern from "dlfcn.h" nogil:
    void* dlopen(const char*, int)
    void* dlsym(void*, const char*)
    char* dlerror()
    int RTLD_NOW, RTLD_LOCAL

ctypedef void (*set_threads_fn)(int) noexcept nogil

# Written once, under the GIL.
cdef Blas table
cdef bint loaded = False


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
    key = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(key)
    os.environ[key] = "1"
    try:
        import scipy_openblas32         # opens the library, too

        folder = scipy_openblas32.get_lib_dir()
        path = os.path.join(folder, scipy_openblas32.get_library(fullname=True)).encode()
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL)
    finally:
        if before is None:
            del os.environ[key]
        else:
            os.environ[key] = before
    if library == NULL:
        raise ImportError(f"cannot load OpenBLAS from {path.decode()}: {dlerror().decode()}")
    return library


cdef void load() except *:
    global loaded
    cdef void* library = opened()
    (<set_threads_fn>symbol(library, b"scipy_openblas_set_num_threads"))(1)
    table.sgemm = <sgemm_fn>symbol(library, b"scipy_cblas_sgemm")
    table.dgemm = <dgemm_fn>symbol(library, b"scipy_cblas_dgemm")
    table.sgemv = <sgemv_fn>symbol(library, b"scipy_cblas_sgemv")
    table.dgemv = <dgemv_fn>symbol(library, b"scipy_cblas_dgemv")
    loaded = True


cdef Blas* blas() except NULL:
    if not loaded:
        load()
    return &table


cdef Blas* loaded_blas() noexcept nogil:
    return &table if loaded else NULL
