/* Lines of a convolution's im2col matrix in bfloat16: a line has the elements of some columns under one tap of one
 * channel, and zeros outside of the images. */
#ifndef OPFORGE_CONVOLUTION_BRAIN_LINES_H
#define OPFORGE_CONVOLUTION_BRAIN_LINES_H

#include <opforge/brain.h>

#include "image_view.h"
#include "sizes.h"

/* Load lanes [from, to) from `p[lane * step]`, and the others from `v`; reads no other memory. */
OF_INLINE __m256i brain_load_lanes(__m256i v, const uint16_t* p, int64_t step, int from, int to) {
    const __mmask16 lanes = (__mmask16)((0xffffu >> (16 - to + from)) << from);
    if (step == 1) return _mm256_mask_loadu_epi16(v, lanes, p);
    if (step == 2) {
        const __mmask32 both = (UINT32_MAX >> (33 - 2 * (to - from))) << 2 * from;
        return _mm256_mask_mov_epi16(v, lanes, _mm512_cvtepi32_epi16(_mm512_maskz_loadu_epi16(both, p)));
    }
    uint16_t all[LANES];
    memcpy(all, &v, sizeof all);
    for (int lane = from; lane < to; lane++) all[lane] = p[lane * step];
    memcpy(&v, all, sizeof all);
    return v;
}

OF_INLINE __m256i brain_load_runs(const uint16_t* channel, const run* runs, int count, int64_t step) {
    __m256i v = _mm256_setzero_si256();
    for (int i = 0; i < count; i++) v = brain_load_lanes(v, channel + runs[i].offset, step, runs[i].from, runs[i].to);
    return v;
}

/* If all is inside, every tap reads the same runs at a constant offset. */
OF_INLINE void brain_copy_inside(const image_view* p, const uint16_t* data, const run* runs, int count, int64_t begin,
                                 int64_t end, uint16_t* to, int64_t row, int64_t step) {
    const int whole = step == 1 && runs[0].to - runs[0].from == LANES;
    const int64_t taps = image_taps(p);
    int64_t tap_x = begin % p->taps_x, tap_y = begin % taps / p->taps_x;
    const uint16_t* channel = data + begin / taps * p->plane;
    for (int64_t line = begin; line < end; line++, to += row) {
        const uint16_t* from = channel + tap_y * p->dilate_y * p->width + tap_x * p->dilate_x;
        _mm256_storeu_si256((__m256i*)to, whole ? _mm256_loadu_si256((const __m256i*)(from + runs[0].offset))
                                                : brain_load_runs(from, runs, count, step));
        if (++tap_x < p->taps_x) continue;
        tap_x = 0;
        if (++tap_y < p->taps_y) continue;
        tap_y = 0;
        channel += p->plane;
    }
}

/* At a border, the lanes that are inside depend on the tap but not on the channel. */
OF_INLINE void brain_copy_border(const image_view* p, const uint16_t* data, const run* runs, int count, int64_t begin,
                                 int64_t end, uint16_t* to, int64_t row, int64_t step) {
    const int64_t taps = image_taps(p);
    for (int64_t tap = 0; tap < taps; tap++) {
        run seen[LANES];
        int n = 0;
        for (int i = 0; i < count; i++) {
            seen[n] = run_under_tap(p, runs[i], tap / p->taps_x, tap % p->taps_x, step);
            n += seen[n].to > seen[n].from;
        }
        for (int64_t c = max64(ceil_div(begin - tap, taps), 0); c * taps + tap < end; c++) {
            const __m256i v = brain_load_runs(data + c * p->plane, seen, n, step);
            _mm256_storeu_si256((__m256i*)(to + (c * taps + tap - begin) * row), v);
        }
    }
}

OF_INLINE void brain_copy_vector(const image_view* p, const uint16_t* data, const run* runs, int count, int64_t begin,
                                 int64_t end, uint16_t* to, int64_t row, int64_t step) {
    int inside = count > 0;
    for (int i = 0; i < count; i++) inside &= run_is_inside(p, &runs[i]);
    (inside ? brain_copy_inside : brain_copy_border)(p, data, runs, count, begin, end, to, row, step);
}

/* Copy lines [begin, end) of `vectors` vectors of columns from `column` on; those from `columns` on are zero. Lines are
 * `row` elements apart in the copy. */
static void brain_copy_lines(const image_view* p, const uint16_t* data, int64_t column, int64_t columns, int64_t vectors,
                             int64_t begin, int64_t end, uint16_t* to, int64_t row) {
    run runs[LANES];
    for (int64_t v = 0; v < vectors; v++, column += LANES, to += LANES) {
        const int count = column < columns ? image_runs(p, column, columns, runs) : 0;
        if (p->stride_x == 1) brain_copy_vector(p, data, runs, count, begin, end, to, row, 1);
        else if (p->stride_x == 2) brain_copy_vector(p, data, runs, count, begin, end, to, row, 2);
        else brain_copy_vector(p, data, runs, count, begin, end, to, row, p->stride_x);
    }
}

#endif
