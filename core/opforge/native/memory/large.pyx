"""Large blocks: pieces that are cut from segments, and joined with their free neighbours again.

A list for each size keeps what one size has left from all others: a training step, whose arrays have a
dozen sizes, took a third more memory than it ever used at once. Here a free piece of 9 MB serves one
of 8 MB, and two of 4 MB that lie side by side. The smallest that suffices is taken, of equal ones that
at the lowest address, so that free memory comes together at the other end.

Before a new segment is taken, as much as it needs of what lies idle goes back to the system.
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
    HEADER = 64                        # of segments and of pieces: what follows is aligned as the pool's blocks are
    LEAST_REST = 1 << 16               # bytes that are worth a piece of their own
    LEAST_SEGMENT = 4 << 20            # with more, large pages leave little unused
    MOST_GROWTH = 64 << 20
    MOST_LOOKED_AT = 64                # pieces of one list: 0.5 us

cdef struct Segment:
    char* cut                          # as far as it is cut into pieces; nothing behind was ever touched
    char* end
    Piece* last                        # that ends at `cut`, or NULL
    Segment* next

cdef struct Piece:                     # in front of its bytes
    Py_ssize_t size                    # with this header
    Py_ssize_t kept                    # free: bytes that the system does not have back
    Segment* segment
    Piece* before                      # the neighbour that ends here, or NULL
    Piece* next                        # in a list
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

cdef Piece* lists[N_CLASSES]           # of free pieces that are at least as large as their class
memset(lists, 0, sizeof(lists))
cdef Segment* segments = NULL
cdef Py_ssize_t total_segments = 0     # their bytes
cdef Py_ssize_t total = 0              # bytes that free pieces keep; changes with the GIL, is read without it
cdef void* returned = NULL             # pieces that came without the GIL, a stack


cdef inline Piece* piece_of(char* data) noexcept nogil:
    return <Piece*>(data - HEADER)


cdef inline Piece* after(Piece* piece) noexcept nogil:
    """The neighbour that begins where `piece` ends, or NULL."""
    return NULL if piece == piece.segment.last else <Piece*>(<char*>piece + piece.size)


cdef inline void count_kept(Py_ssize_t nbytes) noexcept nogil:
    store(&total, total + nbytes, RELAXED)


cdef inline int list_of(Py_ssize_t size) noexcept nogil:
    """The largest class that is not larger than `size`."""
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
    """Take a free piece from its list."""
    if piece.previous != NULL:
        piece.previous.next = piece.next
    else:
        lists[list_of(piece.size)] = piece.next
    if piece.next != NULL:
        piece.next.previous = piece.previous
    piece.is_free = False
    count_kept(-piece.kept)


cdef Piece* smallest(Py_ssize_t size) noexcept nogil:
    """The smallest free piece that has `size` bytes, as far as a short look tells, or NULL."""
    cdef Piece* best = NULL
    cdef Piece* piece
    cdef int index, looked_at
    for index in range(list_of(size), N_CLASSES):
        piece = lists[index]
        looked_at = 0
        while piece != NULL and looked_at < MOST_LOOKED_AT:
            looked_at += 1
            if piece.size >= size and (
                best == NULL or piece.size < best.size or (piece.size == best.size and piece < best)
            ):
                best = piece
            piece = piece.next
        if best != NULL:
            break
    return best


cdef Piece* at(char* start, Py_ssize_t size, Segment* segment, Piece* before) noexcept nogil:
    """A new piece; what follows it must be told."""
    cdef Piece* piece = <Piece*>start
    opforge_unpoison(start, HEADER)
    piece.size, piece.kept, piece.segment, piece.before = size, 0, segment, before
    piece.is_free = False
    return piece


cdef void tell_neighbour(Piece* piece, bint is_last) noexcept nogil:
    """Let what follows `piece` know it."""
    if is_last:
        piece.segment.last = piece
    else:
        (<Piece*>(<char*>piece + piece.size)).before = piece


cdef void shorten(Piece* piece, Py_ssize_t size) noexcept nogil:
    """Cut off what `piece`, which is on no list, has beyond `size` bytes, and keep it."""
    cdef Py_ssize_t rest = piece.size - size
    cdef bint is_last = after(piece) == NULL
    cdef Piece* other
    if rest < LEAST_REST:
        return
    other = at(<char*>piece + size, rest, piece.segment, piece)
    other.kept = max(<Py_ssize_t>0, piece.kept - size)
    piece.size = size
    tell_neighbour(other, is_last)
    keep(other)


cdef Piece* join(Piece* left, Piece* right) noexcept nogil:
    """Make one piece of two neighbours that are on no list."""
    cdef bint is_last = after(right) == NULL
    left.size += right.size
    left.kept += right.kept
    tell_neighbour(left, is_last)
    return left


cdef Piece* extend(Py_ssize_t size) noexcept nogil:
    """A piece at the uncut end of a segment, or NULL."""
    cdef Segment* segment = segments
    cdef Piece* last
    while segment != NULL:
        last = segment.last
        if last != NULL and last.is_free and segment.end - <char*>last >= size:
            unlist(last)
            last.size = size                                # it was shorter, or it would have served
            segment.cut = <char*>last + size
            return last
        if segment.end - segment.cut >= size:
            segment.last = at(segment.cut, size, segment, last)
            segment.cut += size
            return segment.last
        segment = segment.next
    return NULL


cdef bint add_segment(Py_ssize_t size) noexcept nogil:
    """Get memory of which a piece of `size` bytes can be cut; False: there is none."""
    global segments, total_segments
    cdef Py_ssize_t growth = min(max(total_segments // 2, <Py_ssize_t>LEAST_SEGMENT), <Py_ssize_t>MOST_GROWTH)
    cdef Py_ssize_t length = max(size + HEADER, growth)
    cdef void* start = NULL
    cdef Segment* segment
    release_large(size)
    if posix_memalign(&start, HEADER, length) != 0:
        length = size + HEADER
        if posix_memalign(&start, HEADER, length) != 0:
            return False
    if length > LEAST_SEGMENT:
        ask_for_huge_pages(<char*>start, length)
    segment = <Segment*>start
    segment.cut, segment.end, segment.last = <char*>start + HEADER, <char*>start + length, NULL
    segment.next = segments
    segments = segment
    total_segments += length
    return True


cdef void drop_segment(Segment* segment) noexcept nogil:
    """Give the memory of a segment back, of which no piece is on a list or in use."""
    global segments, total_segments
    cdef Segment** place = &segments
    cdef Py_ssize_t length = segment.end - <char*>segment
    while place[0] != segment:
        place = &place[0].next
    place[0] = segment.next
    total_segments -= length
    opforge_unpoison(segment, length)
    give_back_pages(<char*>segment, length)                 # free() may keep them
    free(segment)


cdef void give_back(Piece* piece) noexcept nogil:
    """Give what a free piece keeps back to the system."""
    if piece.before == NULL and after(piece) == NULL:
        unlist(piece)
        drop_segment(piece.segment)
        return
    count_kept(-piece.kept)
    piece.kept = 0
    give_back_pages(<char*>piece + HEADER, piece.size - HEADER)


cdef void accept_returned() noexcept nogil:
    """Put the pieces that came without the GIL."""
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


cdef Py_ssize_t release_large(Py_ssize_t least) noexcept nogil:
    cdef Py_ssize_t released = 0
    cdef Piece* piece
    cdef Piece* following
    cdef int index
    accept_returned()
    for index in range(N_CLASSES - 1, -1, -1):              # the largest first
        piece = lists[index]
        while piece != NULL and released < least:
            following = piece.next
            released += piece.kept
            give_back(piece)
            piece = following
    return released
