# Detection of conflicting memory accesses: a hash table of blocks, each with its user and whether it is written.

cdef struct Use:
    char* block                        # start of the memory block that contains the array
    bint written

cdef struct Owner:                     # an entry of the table
    char* block                        # NULL for an empty entry
    Py_ssize_t user                    # SEVERAL if several users read the block
    bint written

cdef struct Claims:
    Owner* table
    Py_ssize_t mask                    # size of the table, a power of two, minus one

# Allocates a table for `uses` uses; returns -1 if out of memory.
cdef int open_claims(Claims* claims, Py_ssize_t uses) noexcept nogil
# Records a use; returns False if two users share its block and one of them writes it.
cdef bint claim(Claims* claims, Py_ssize_t user, Use* use) noexcept nogil
cdef void close_claims(Claims* claims) noexcept nogil
