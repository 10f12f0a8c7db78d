# Which of many users of memory meet: a table of blocks, each with its user and whether it is written.

cdef struct Use:
    char* block                        # beginning of the memory that an array is in
    bint written

cdef struct Owner:                     # an entry of the table
    char* block                        # NULL where it is empty
    Py_ssize_t user                    # SEVERAL if all only read
    bint written

cdef struct Claims:
    Owner* table
    Py_ssize_t mask                    # its size, a power of two, less one

cdef int open_claims(Claims* claims, Py_ssize_t uses) noexcept nogil      # for so many uses; -1 without memory
cdef bint claim(Claims* claims, Py_ssize_t user, Use* use) noexcept nogil # False where one writes what the other uses
cdef void close_claims(Claims* claims) noexcept nogil
