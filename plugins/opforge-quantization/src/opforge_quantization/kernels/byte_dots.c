#include "kernels/byte_dots.h"

#include "kernels/byte_vectors.h"
#include "opforge/tile.h"

enum {
    HALF_BLOCK = ROW_BLOCK / 2,
    MAX_ROWS = OF_REGISTERS == 32 ? 4 : 2, /* of a tile, whose sums stay in registers */
};

/* Weights [at, at + OF_VECTOR_BYTES) of a row, as unsigned bytes; `bits` is a constant after inlining. */
OF_INLINE i32v load_weights(const int bits, const uint8_t* row, int64_t at) {
    if (bits == 8) return load_i32v(row + at) ^ splat_i32v((int32_t)0x80808080);
    const uint8_t* block = row + at / ROW_BLOCK * HALF_BLOCK + at % HALF_BLOCK;
#if defined(__AVX512F__)
    const __m256i both = _mm256_loadu_si256((const __m256i*)block), low = _mm256_set1_epi8(15);
    const __m512i first = _mm512_castsi256_si512(_mm256_and_si256(both, low));
    return (i32v)_mm512_inserti64x4(first, _mm256_and_si256(_mm256_srli_epi16(both, 4), low), 1);
#else
    const i32v both = load_i32v(block);
    return (at % ROW_BLOCK < HALF_BLOCK ? both : both >> 4) & splat_i32v(0x0f0f0f0f);
#endif
}

/* The scales of the weights [at, at + OF_VECTOR_BYTES) of a row, for each lane. */
OF_INLINE of_f32v load_scales(const byte_dots* p, const float* scales, int64_t at) {
    const int64_t first = at >> p->group_shift, last = (at + HALF_BLOCK) >> p->group_shift;
    const of_f32v scale = of_splat_f32v(scales[first]);
#if OF_VECTOR_BYTES > 32
    const of_mask_f32v is_first = {-1, -1, -1, -1, -1, -1, -1, -1};
    /* Padding has no group. */
    return of_select_f32v(is_first, scale, of_splat_f32v(scales[last < p->groups ? last : first]));
#endif
    return scale;
}

/* Four rows of weights, and where the results of a tile are. */
typedef struct columns {
    int64_t first, count; /* of which some may not exist */
    const uint8_t* weights[DOT_COLUMNS];
    const float* scales[DOT_COLUMNS];                     /* of groups */
    float row_scales[DOT_COLUMNS], biases[DOT_COLUMNS]; /* of complete rows */
} columns;

/* Add the products of the elements [at, at + OF_VECTOR_BYTES) of some rows; constants after inlining as below. */
OF_INLINE void add_products(const int dots, const int bits, const int grouped, const byte_dots* p, const columns* c,
                            const uint8_t* const* weights, int64_t from, int64_t row, int64_t at, i32v* sums,
                            of_f32v* totals, const int rows) {
    const int8_t* left = p->rows + row * p->padded + at;
    i32v data[MAX_ROWS];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) data[r] = load_i32v(left + r * p->padded);
#pragma GCC unroll 4
    for (int column = 0; column < DOT_COLUMNS; column++) {
        const i32v right = load_weights(bits, weights[column], from);
        const of_f32v scale = grouped ? load_scales(p, c->scales[column], at) : of_splat_f32v(0);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const int i = r * DOT_COLUMNS + column;
            if (grouped) {
                const i32v start = load_i32v(p->starts + ((row + r) * p->padded + at) / GROUP);
                totals[i] = of_madd_f32v(floats_of(add_byte_dots(dots, start, right, data[r])), scale, totals[i]);
            } else {
                sums[i] = add_byte_dots(dots, sums[i], right, data[r]);
            }
        }
    }
}

/* Store four results of a row, or fewer, of which the lanes are sums of integers, or with groups of real numbers. */
OF_INLINE void store_results(const int grouped, const byte_dots* p, const columns* c, int64_t row, const i32v* sums,
                             const of_f32v* totals) {
    float found[DOT_COLUMNS];
    if (grouped) {
        of_sums_f32v(totals, found);
    } else {
        int32_t exact[DOT_COLUMNS];
        sums_of_lanes(sums, exact);
        for (int i = 0; i < DOT_COLUMNS; i++) found[i] = (float)(exact[i] + p->starts[row]) * c->row_scales[i];
    }
    for (int i = 0; i < DOT_COLUMNS; i++) found[i] = found[i] * p->steps[row] + c->biases[i];
    float* out = p->out + row * p->columns + c->first;
    if (c->count == DOT_COLUMNS) memcpy(out, found, sizeof found);
    else memcpy(out, found, (size_t)c->count * sizeof(float));
}

/* Compute some rows of four columns; `dots`, `bits`, `grouped` and `rows` are constants after inlining. */
OF_INLINE void dot_tile(const int dots, const int bits, const int grouped, const byte_dots* p, const columns* c,
                        int64_t row, const int rows) {
    const int64_t whole = bits == 8 ? p->length / OF_VECTOR_BYTES * OF_VECTOR_BYTES : p->padded;
    const i32v zero = {0};
    i32v sums[MAX_ROWS * DOT_COLUMNS];
    of_f32v totals[MAX_ROWS * DOT_COLUMNS];
    if (rows > MAX_ROWS) return;
#pragma GCC unroll 16
    for (int i = 0; i < rows * DOT_COLUMNS; i++) sums[i] = zero, totals[i] = of_splat_f32v(0);
    for (int64_t at = 0; at < whole; at += OF_VECTOR_BYTES) {
        add_products(dots, bits, grouped, p, c, c->weights, at, row, at, sums, totals, rows);
    }
    if (bits == 8 && whole < p->length) { /* the last elements, copied with zeros after them */
        uint8_t ends[DOT_COLUMNS][OF_VECTOR_BYTES] = {{0}};
        const uint8_t* copies[DOT_COLUMNS];
        for (int column = 0; column < DOT_COLUMNS; column++) {
            copies[column] = memcpy(ends[column], c->weights[column] + whole, (size_t)(p->length - whole));
        }
        add_products(dots, bits, grouped, p, c, copies, 0, row, whole, sums, totals, rows);
    }
    for (int r = 0; r < rows; r++) store_results(grouped, p, c, row + r, sums + r * DOT_COLUMNS, totals + r * DOT_COLUMNS);
}

/* Compute all rows of four columns. */
OF_INLINE void dot_columns(const int dots, const int bits, const int grouped, const byte_dots* p, const columns* c) {
    for (int64_t row = 0; row < p->count;) {
        const int64_t left = p->count - row;
        switch (left < MAX_ROWS ? left : MAX_ROWS) {
        case 1: dot_tile(dots, bits, grouped, p, c, row, 1); row += 1; break;
        case 2: dot_tile(dots, bits, grouped, p, c, row, 2); row += 2; break;
        case 3: dot_tile(dots, bits, grouped, p, c, row, 3); row += 3; break;
        default: dot_tile(dots, bits, grouped, p, c, row, MAX_ROWS); row += MAX_ROWS;
        }
    }
}

#define COLUMNS_OF(NAME, DOTS)                                                                      \
    OF_NOINLINE void NAME(const byte_dots* p, const columns* c) {                                    \
        if (p->bits == 8 && !p->has_groups) dot_columns(DOTS, 8, 0, p, c);                           \
        else if (p->bits == 8) dot_columns(DOTS, 8, 1, p, c);                                        \
        else if (!p->has_groups) dot_columns(DOTS, 4, 0, p, c);                                      \
        else dot_columns(DOTS, 4, 1, p, c);                                                          \
    }
COLUMNS_OF(columns_by_pairs, 0)
#if defined(__AVX512F__)
COLUMNS_OF(columns_by_dots, 1)
#else
#define columns_by_dots columns_by_pairs
#endif

void byte_dots_run(const byte_dots* p, int64_t begin, int64_t end) {
    const int dots = has_byte_dots();
    for (int64_t tile = begin; tile < end; tile++) {
        columns c = {.first = tile * DOT_COLUMNS};
        c.count = p->columns - c.first < DOT_COLUMNS ? p->columns - c.first : DOT_COLUMNS;
        for (int column = 0; column < DOT_COLUMNS; column++) {
            const int64_t j = c.first + (column < c.count ? column : 0); /* the first one, for those beyond the last */
            c.weights[column] = p->weights + j * p->column_bytes, c.scales[column] = p->scales + j * p->groups;
            c.row_scales[column] = p->groups > 0 ? c.scales[column][0] : 0;
            c.biases[column] = p->bias != NULL ? p->bias[j] : 0;
        }
        (dots ? columns_by_dots : columns_by_pairs)(p, &c);
    }
}
