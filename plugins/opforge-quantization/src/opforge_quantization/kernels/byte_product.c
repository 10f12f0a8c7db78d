#include "kernels/byte_product.h"

#include "kernels/byte_vectors.h"
#include "opforge/tile.h"

static int64_t vectors_of(int64_t columns) { return (columns + LANES - 1) / LANES; }

int64_t byte_panel_count(int64_t columns) {
    return (vectors_of(columns) + BYTE_PANEL_VECTORS - 1) / BYTE_PANEL_VECTORS;
}

int64_t byte_panel_begin(int64_t columns, int64_t panel) {
    return of_tile_begin(vectors_of(columns), byte_panel_count(columns), panel) * LANES;
}

int64_t byte_padded_columns(int64_t columns) { return vectors_of(columns) * LANES; }

int64_t byte_packed_size(int64_t columns, int64_t length) {
    return byte_padded_columns(columns) * ((length + GROUP - 1) / GROUP) * GROUP;
}

void byte_pack(const int8_t* weights, int64_t columns, int64_t length, int8_t* packed, int32_t* sums) {
    const int64_t panels = byte_panel_count(columns), depth = (length + GROUP - 1) / GROUP;
    memset(packed, 0, (size_t)byte_packed_size(columns, length));
    memset(sums, 0, (size_t)byte_padded_columns(columns) * sizeof *sums);
    for (int64_t panel = 0; panel < panels; panel++) {
        const int64_t begin = byte_panel_begin(columns, panel), end = byte_panel_begin(columns, panel + 1);
        int8_t* to = packed + begin * depth * GROUP;
        for (int64_t j = begin; j < end && j < columns; j++) {
            for (int64_t x = 0; x < length; x++) {
                const int8_t value = weights[j * length + x];
                to[(x / GROUP * (end - begin) + j - begin) * GROUP + x % GROUP] = value;
                sums[j] += value;
            }
        }
    }
}

/* -- tiles --------------------------------------------------------------------------------------------------------- */

/* Finish one vector of a row, whose first column is j. */
OF_INLINE void finish_sums(const byte_finish* f, i32v sums, of_f32v scale, of_f32v shift, char* out, int64_t row,
                           int64_t j, int64_t n) {
    of_f32v x = floats_of(sums) * scale + shift;
    if (f->other != NULL) {
        const i32v other = load_bytes((const char*)f->other + row * f->other_step + j, f->other_is_signed, n);
        x += floats_of(other) * of_splat_f32v(f->other_scale);
    }
    if (f->type == RESULT_FLOAT32) {
        of_store_some_f32v((float*)(out + j * 4), of_max_f32v(x, of_splat_f32v(f->low)), n);
        return;
    }
    const int is_signed = f->type == RESULT_INT8;
    const float least = is_signed ? -128 : 0;
    store_bytes(out + j, round_to_bytes(x, f->low > least ? f->low : least, is_signed), n);
}

/* Finish complete vectors of bytes; `has_other` is a constant after inlining. */
OF_INLINE void finish_bytes(const int has_other, const byte_finish* f, const i32v* sums, of_f32v scale, of_f32v shift,
                            char* out, int64_t out_step, const char* other, int rows, int vectors) {
    const int is_signed = f->type == RESULT_INT8;
    const float least = is_signed ? -128 : 0, low = f->low > least ? f->low : least;
    for (int r = 0; r < rows; r++, sums += vectors, out += out_step) {
        of_f32v x = floats_of(*sums) * scale + shift;
        if (has_other) {
            x += floats_of(load_bytes(other, f->other_is_signed, LANES)) * of_splat_f32v(f->other_scale);
            other += f->other_step;
        }
        store_bytes(out, round_to_bytes(x, low, is_signed), LANES);
    }
}

/* Finish the sums of a tile. It is one function for all tiles: with its code in each, they took a minute to compile. */
OF_NOINLINE void finish_tile(const byte_product* p, const i32v* sums, int64_t row, int64_t j, int rows, int vectors) {
    const byte_finish* f = &p->finish;
    const int are_bytes = f->type != RESULT_FLOAT32;
    const int64_t step = p->out_step;
    char* out = p->out + row * step;
    for (int v = 0; v < vectors; v++, j += LANES) {
        const int64_t n = p->columns - j;
        const of_f32v scale = f->scale != NULL ? of_load_f32v(f->scale + j) : of_splat_f32v(1);
        const of_f32v shift = f->shift != NULL ? of_load_f32v(f->shift + j) : of_splat_f32v(0);
        if (are_bytes && n >= LANES && f->other == NULL) {
            finish_bytes(0, f, sums + v, scale, shift, out + j, step, NULL, rows, vectors);
        } else if (are_bytes && n >= LANES) {
            const char* other = (const char*)f->other + row * f->other_step + j;
            finish_bytes(1, f, sums + v, scale, shift, out + j, step, other, rows, vectors);
        } else {
            for (int r = 0; r < rows; r++) {
                finish_sums(f, sums[r * vectors + v], scale, shift, out + r * step, row + r, j, n);
            }
        }
    }
}

/* Compute `rows` rows of a panel; `dots`, `rows` and `vectors` are constants after inlining. */
OF_INLINE void byte_tile(const int dots, const byte_product* p, int64_t row, const int8_t* weights, int64_t j,
                         const int rows, const int vectors) {
    i32v sums[OF_TILE_SUMS];
    const uint8_t* at = p->rows + row * p->row_step;
    const int64_t step = p->row_step, depth = p->depth;
    if (rows > OF_TILE_ROWS(vectors)) return;
#pragma GCC unroll 28
    for (int s = 0; s < rows * vectors; s++) sums[s] = load_i32v(p->finish.start + j + s % vectors * LANES);
    for (int64_t x = 0; x < depth; x++, at += GROUP, weights += vectors * OF_VECTOR_BYTES) {
        i32v right[BYTE_PANEL_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) right[v] = load_i32v(weights + v * OF_VECTOR_BYTES);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            const i32v left = splat_i32v(*(const loose_i32*)(at + r * step));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) {
                sums[r * vectors + v] = add_byte_dots(dots, sums[r * vectors + v], left, right[v]);
            }
        }
    }
    i32v finished[OF_TILE_SUMS]; /* a copy, so that the sums stay in registers */
#pragma GCC unroll 28
    for (int i = 0; i < rows * vectors; i++) finished[i] = sums[i];
    finish_tile(p, finished, row, j, rows, vectors);
}

/* Compute all rows of a panel, in tiles with nearly equal numbers of rows. */
OF_INLINE void byte_panel(const int dots, const byte_product* p, const int8_t* weights, int64_t j, const int vectors) {
    const int64_t tiles = of_tile_count(p->count, vectors);
    for (int64_t tile = 0; tile < tiles; tile++) {
        const int64_t row = of_tile_begin(p->count, tiles, tile);
#define OF_CASE(ROWS) case ROWS: byte_tile(dots, p, row, weights, j, ROWS, vectors); break;
        switch (of_tile_begin(p->count, tiles, tile + 1) - row) { OF_EACH_TILE(OF_CASE) }
#undef OF_CASE
    }
}

#define PANELS_OF(NAME, DOTS)                                                                            \
    OF_NOINLINE void NAME(const byte_product* p, const int8_t* weights, int64_t j, int64_t vectors) {     \
        switch (vectors) {                                                                               \
        case 1: byte_panel(DOTS, p, weights, j, 1); break;                                                \
        case 2: byte_panel(DOTS, p, weights, j, 2); break;                                                \
        case 3: byte_panel(DOTS, p, weights, j, 3); break;                                                \
        default: byte_panel(DOTS, p, weights, j, BYTE_PANEL_VECTORS);                                     \
        }                                                                                                \
    }
PANELS_OF(panel_by_pairs, 0)
#if defined(__AVX512F__)
PANELS_OF(panel_by_dots, 1)
#else
#define panel_by_dots panel_by_pairs
#endif

void byte_product_panels(const byte_product* p, int64_t begin, int64_t end) {
    const int dots = has_byte_dots();
    for (int64_t panel = begin; panel < end; panel++) {
        const int64_t j = byte_panel_begin(p->columns, panel);
        const int64_t vectors = (byte_panel_begin(p->columns, panel + 1) - j) / LANES;
        const int8_t* weights = p->weights + j * p->depth * GROUP;
        (dots ? panel_by_dots : panel_by_pairs)(p, weights, j, vectors);
    }
}
