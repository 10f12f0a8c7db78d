#include "native/channels_last.h"

#include "native/ranges.h"

typedef struct copying {
    const char* from;
    char* to;
    int64_t rows, columns, item; /* of a matrix that is transposed; bytes of an element */
} copying;

/* Transpose the matrices [begin, end). */
static void transpose(void* argument, int64_t begin, int64_t end) {
    const copying* c = (const copying*)argument;
    const int64_t rows = c->rows, columns = c->columns;
    for (int64_t matrix = begin; matrix < end; matrix++) {
        const char* from = c->from + matrix * rows * columns * c->item;
        char* to = c->to + matrix * rows * columns * c->item;
        for (int64_t j = 0; j < columns; j++) {
            for (int64_t i = 0; i < rows; i++) {
                const int64_t source = i * columns + j, target = j * rows + i;
                if (c->item == 1) to[target] = from[source];
                else memcpy(to + target * 4, from + source * 4, 4);
            }
        }
    }
}

static void run(opforge_call* call, const copying* c, int64_t images) {
    call->host->parallel_for(call, images, 1 + GRAIN / (c->rows * c->columns + 1), transpose, (void*)c);
}

void move_channels_last(opforge_call* call, const void* from, void* to, int64_t images, int64_t channels,
                        int64_t positions) {
    const copying c = {(const char*)from, (char*)to, channels, positions, 1};
    run(call, &c, images);
}

void move_channels_first(opforge_call* call, const void* from, void* to, int64_t images, int64_t channels,
                         int64_t positions, int64_t item) {
    const copying c = {(const char*)from, (char*)to, positions, channels, item};
    run(call, &c, images);
}
