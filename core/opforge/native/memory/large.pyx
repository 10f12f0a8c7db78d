"""Large blocks: pieces cut from segments and merged with their free neighbors.

With one free list per size, memory freed by one size cannot serve another: a training step, whose
arrays have a dozen sizes, took a third more memory than it used at any one time. Here a free 9 MB
piece serves an 8 MB request, and so do two adjacent pieces of 4 MB. The smallest sufficient piece is
taken (best fit); of several equally large ones, the one at the lowest address, so that free memory
collects at the other end.

Before a new segment is allocated, as many idle bytes as it needs go back to the system.
"""

from libc.stdlib cimport free
from libc.string cimport memset

from opforge.native.memory.atomics cimport RELAXED, load, store
from opforge.native.memory.classes cimport N_CLASSES, class_of

cdef extern from "stdlib.h" nogil:
    int posix_memalign(void** out, size_t alignment, size_t size)

cdef extern from "opforge_pages.h" nogil:
    void give_back_pages "opforge_give_back"(char* start, size_t size)
    void ask_for_huge_pages "opforge_ask_for_huge_pages"(char* start, size_t size)

cdef extern from "opforge_poison.h" nogil:
    void opforge_poison(const void* start, size_t size)
    void opforge_unpoison(const void* start, size_t size)

cdef enum:
    PAGE = 4096
    HEADER = 64                        # of segments and pieces; keeps what follows aligned like the pool's blocks
    MIN_REMAINDER = 1 << 16            # smallest remainder, in bytes, that is split off
    MIN_SEGMENT = 4 << 20              # bytes; from here on, 2 MiB pages leave little unused
    MAX_GROWTH = 64 << 20
    MAX_CANDIDATES = 64                # pieces of a list that are examined; takes 0.5 us

cdef struct Segment:
    char* cut                          # end of the part cut into pieces; memory beyond it was never touched
    char* end
    Piece* last                        # piece that ends at `cut`, or NULL
    Segment* next

cdef struct Piece:                     # header in front of its bytes
    Py_ssize_t size                    # including this header
    Py_ssize_t kept                    # of a free piece: bytes not returned to the system
    Segment* segment
    Piece* before                      # neighbor that ends here, or NULL
    Piece* next                        # in its list
    Piece* previous
    bint is_free

cdef extern from *:
    """
    static void opforge_push(void** stack, void* item, void** next) {
        void* first = __atomic_load_n(stack, __ATOMIC_RELAXED);
        do *next = first;
        while (!__atomic_compare_exchange_n(stack, &first, item, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    }
    static void* opforge_take_all(void** stack) {
        return __atomic_load_n(stack, __ATOMIC_RELAXED) ? __atomic_exchange_n(stack, NULL, __ATOMIC_ACQUIRE) : NULL;
    }
    """
    void push "opforge_push"(void** stack, void* item, void** next) nogil
    void* take_all "opforge_take_all"(void** stack) nogil

cdef Piece* lists[N_CLASSES]           # free pieces, at least as large as the class of their list
memset(lists, 0, sizeof(lists))
cdef Segment* segments = NULL
cdef Py_ssize_t total_segments = 0     # bytes of all segments
cdef Py_ssize_t total = 0              # bytes kept by free pieces; changed with the GIL, read without it
cdef void* returned = NULL             # stack of pieces returned without the GIL


cdef inline Piece* piece_of(char* data) noexcept nogil:
    return <Piece*>(data - HEADER)


cdef inline Piece* after(Piece* piece) noexcept nogil:
    """Return the neighbor that begins where `piece` ends, or NULL."""
    return NULL if piece == piece.segment.last else <Piece*>(<char*>piece + piece.size)


cdef inline void count_kept(Py_ssize_t nbytes) noexcept nogil:
    store(&total, total + nbytes, RELAXED)


cdef inline int list_of(Py_ssize_t size) noexcept nogil:
    """Return the largest class that is at most `size`."""
    return class_of(size + 1) - 1


cdef void keep(Piece* piece) noexcept nogil:
    """Put a piece on its list."""
    cdef Piece** first = &lists[list_of(piece.size)]
    piece.is_free = True
    piece.previous = NULL
    piece.next = first[0]
    if piece.next != NULL:
        piece.next.previous = piece
    first[0] = piece
    count_kept(piece.kept)


cdef void unlist(Piece* piece) noexcept nogil:
    """Remove a free piece from its list."""
    if piece.previous != NULL:
        piece.previous.next = piece.next
    else:
        lists[list_of(piece.size)] = piece.next
    if piece.next != NULL:
        piece.next.previous = piece.previous
    piece.is_free = False
    count_kept(-piece.kept)


cdef Piece* smallest(Py_ssize_t size) noexcept nogil:
    """Return a small free piece of at least `size` bytes, found by a bounded search, or NULL."""
    cdef Piece* best = NULL
    cdef Piece* piece
    cdef int index, candidates
    for index in range(list_of(size), N_CLASSES):
        piece = lists[index]
        candidates = 0
        while piece != NULL and candidates < MAX_CANDIDATES:
            candidates += 1
            if piece.size >= size and (
                best == NULL or piece.size < best.size or (piece.size == best.size and piece < best)
            ):
                best = piece
            piece = piece.next
        if best != NULL:
            break
    return best


cdef Piece* at(char* start, Py_ssize_t size, Segment* segment, Piece* before) noexcept nogil:
    """Write the header of a new piece; the caller updates its successor (`link_successor`)."""
    cdef Piece* piece = <Piece*>start
    opforge_unpoison(start, HEADER)
    piece.size, piece.kept, piece.segment, piece.before = size, 0, segment, before
    piece.is_free = False
    return piece


cdef void link_successor(Piece* piece, bint is_last) noexcept nogil:
    """Point the successor of `piece` back to it."""
    if is_last:
        piece.segment.last = piece
    else:
        (<Piece*>(<char*>piece + piece.size)).before = piece


cdef void shorten(Piece* piece, Py_ssize_t size) noexcept nogil:
    """Split an unlisted piece after `size` bytes and keep the remainder."""
    cdef Py_ssize_t remainder = piece.size - size
    cdef bint is_last = after(piece) == NULL
    cdef Piece* other
    if remainder < MIN_REMAINDER:
        return
    other = at(<char*>piece + size, remainder, piece.segment, piece)
    other.kept = max(<Py_ssize_t>0, piece.kept - size)
    piece.size = size
    link_successor(other, is_last)
    keep(other)


cdef Piece* join(Piece* left, Piece* right) noexcept nogil:
    """Merge two unlisted neighbors into one piece."""
    cdef bint is_last = after(right) == NULL
    left.size += right.size
    left.kept += right.kept
    link_successor(left, is_last)
    return left


cdef Piece* extend(Py_ssize_t size) noexcept nogil:
    """Return a piece cut from the end of a segment, or NULL."""
    cdef Segment* segment = segments
    cdef Piece* last
    while segment != NULL:
        last = segment.last
        if last != NULL and last.is_free and segment.end - <char*>last >= size:
            unlist(last)
            last.size = size                                # it was too short, or the search would have found it
            segment.cut = <char*>last + size
            return last
        if segment.end - segment.cut >= size:
            segment.last = at(segment.cut, size, segment, last)
            segment.cut += size
            return segment.last
        segment = segment.next
    return NULL


cdef bint add_segment(Py_ssize_t size) noexcept nogil:
    """Allocate a segment that holds a piece of `size` bytes; return False if memory has run out."""
    global segments, total_segments
    cdef Py_ssize_t growth = min(max(total_segments // 2, <Py_ssize_t>MIN_SEGMENT), <Py_ssize_t>MAX_GROWTH)
    cdef Py_ssize_t length = max(size + HEADER, growth)
    cdef void* start = NULL
    cdef Segment* segment
    release_large(size)
    if posix_memalign(&start, HEADER, length) != 0:
        length = size + HEADER
        if posix_memalign(&start, HEADER, length) != 0:
            return False
    if length > MIN_SEGMENT:
        ask_for_huge_pages(<char*>start, length)
    segment = <Segment*>start
    segment.cut, segment.end, segment.last = <char*>start + HEADER, <char*>start + length, NULL
    segment.next = segments
    segments = segment
    total_segments += length
    return True


cdef void drop_segment(Segment* segment) noexcept nogil:
    """Free a segment none of whose pieces is listed or in use."""
    global segments, total_segments
    cdef Segment** link = &segments
    cdef Py_ssize_t length = segment.end - <char*>segment
    while link[0] != segment:
        link = &link[0].next
    link[0] = segment.next
    total_segments -= length
    opforge_unpoison(segment, length)
    give_back_pages(<char*>segment, length)                 # free() alone may keep them
    free(segment)


cdef void give_back(Piece* piece) noexcept nogil:
    """Return the pages of a free piece to the system."""
    if piece.before == NULL and after(piece) == NULL:
        unlist(piece)
        drop_segment(piece.segment)
        return
    count_kept(-piece.kept)
    piece.kept = 0
    give_back_pages(<char*>piece + HEADER, piece.size - HEADER)


cdef void accept_returned() noexcept nogil:
    """Free the pieces that were returned without the GIL."""
    cdef Piece* piece = <Piece*>take_all(&returned)
    cdef Piece* following
    while piece != NULL:
        following = piece.next
        put_large(<char*>piece + HEADER, True)
        piece = following


cdef char* take_large(Py_ssize_t nbytes, bint* is_fresh) noexcept nogil:
    cdef Py_ssize_t size = (nbytes + HEADER + PAGE - 1) // PAGE * PAGE
    cdef Piece* piece
    accept_returned()
    piece = smallest(size)
    is_fresh[0] = piece == NULL
    if piece != NULL:
        unlist(piece)
        shorten(piece, size)
    else:
        piece = extend(size)
        if piece == NULL and add_segment(size):
            piece = extend(size)
    if piece == NULL:
        return NULL
    opforge_unpoison(<char*>piece + HEADER, piece.size - HEADER)
    return <char*>piece + HEADER


cdef void put_large(char* data, bint keeps) noexcept nogil:
    cdef Piece* piece = piece_of(data)
    cdef Piece* other
    opforge_poison(data, piece.size - HEADER)
    piece.kept = piece.size
    other = after(piece)
    if other != NULL and other.is_free:
        unlist(other)
        piece = join(piece, other)
    other = piece.before
    if other != NULL and other.is_free:
        unlist(other)
        piece = join(other, piece)
    keep(piece)
    if not keeps:
        give_back(piece)


cdef void return_large(char* data) noexcept nogil:
    cdef Piece* piece = piece_of(data)
    push(&returned, piece, <void**>&piece.next)


cdef Py_ssize_t large_bytes(char* data) noexcept nogil:
    return piece_of(data).size - HEADER


cdef Py_ssize_t large_kept() noexcept nogil:
    return load(&total, RELAXED)


cdef Py_ssize_t release_large(Py_ssize_t min_bytes) noexcept nogil:
    cdef Py_ssize_t released = 0
    cdef Piece* piece
    cdef Piece* following
    cdef int index
    accept_returned()
    for index in range(N_CLASSES - 1, -1, -1):              # largest first
        piece = lists[index]
        while piece != NULL and released < min_bytes:
            following = piece.next
            released += piece.kept
            give_back(piece)
            piece = following
    return released
