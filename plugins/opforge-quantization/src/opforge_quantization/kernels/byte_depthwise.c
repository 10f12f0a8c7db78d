/* A vector of bytes holds one tap of many channels. Four taps are interleaved, so that each lane of four vectors has
 * four taps of a channel, as products of bytes need them; packing the sums to bytes restores the order of channels. */
#include "kernels/byte_depthwise.h"

#include "kernels/byte_vectors.h"
#include "kernels/rounding.h"

enum { CHANNELS = OF_VECTOR_BYTES, QUARTERS = 4, MAX_TAPS = 128 };

typedef uint8_t bytes __attribute__((vector_size(OF_VECTOR_BYTES)));

#if defined(__AVX512BW__)
#define X86(name) _mm512_##name
typedef __m512i whole;
#elif defined(__AVX2__)
#define X86(name) _mm256_##name
typedef __m256i whole;
#elif defined(__SSE2__)
#define X86(name) _mm_##name
typedef __m128i whole;
#endif

int64_t byte_depthwise_padded(int64_t channels) { return (channels + CHANNELS - 1) / CHANNELS * CHANNELS; }

int64_t byte_depthwise_packed_size(int64_t channels, int64_t taps) {
    return byte_depthwise_padded(channels) * ((taps + GROUP - 1) / GROUP) * GROUP;
}

/* Interleaving works on pieces of 16 bytes: lane l of quarter q holds the channel 16 * (l / 4) + 4 * q + l % 4. */
int64_t byte_depthwise_order(int64_t index) {
    const int64_t lane = index % LANES, quarter = index / LANES % QUARTERS;
    return index / CHANNELS * CHANNELS + lane / 4 * 16 + quarter * 4 + lane % 4;
}

int64_t byte_depthwise_column(int64_t channel) {
    const int64_t at = channel % CHANNELS, piece = at / 16, quarter = at % 16 / 4;
    return channel / CHANNELS * CHANNELS + quarter * LANES + piece * 4 + at % 4;
}

void byte_depthwise_pack(const int8_t* weights, int64_t channels, int64_t taps, int8_t* packed, int32_t* sums) {
    const int64_t padded = byte_depthwise_padded(channels), groups = (taps + GROUP - 1) / GROUP;
    memset(packed, 0, (size_t)byte_depthwise_packed_size(channels, taps));
    memset(sums, 0, (size_t)padded * sizeof *sums);
    for (int64_t index = 0; index < padded; index++) {
        const int64_t channel = byte_depthwise_order(index), block = index / CHANNELS;
        if (channel >= channels) continue;
        for (int64_t tap = 0; tap < taps; tap++) {
            const int8_t value = weights[channel * taps + tap];
            packed[((block * groups + tap / GROUP) * CHANNELS + index % CHANNELS) * GROUP + tap % GROUP] = value;
            sums[index] += value;
        }
    }
}

/* The first n bytes, and 0 in the others. */
OF_INLINE bytes load_channels(const uint8_t* p, int64_t n) {
    bytes v = {0};
#if defined(__AVX512BW__)
    if (n < CHANNELS) return (bytes)_mm512_maskz_loadu_epi8(((uint64_t)1 << n) - 1, p);
#endif
    memcpy(&v, p, n >= CHANNELS ? CHANNELS : (size_t)n);
    return v;
}

OF_INLINE void store_channels(char* p, bytes v, int64_t n) { memcpy(p, &v, n >= CHANNELS ? CHANNELS : (size_t)n); }

/* Interleave the bytes of four vectors. */
OF_INLINE void interleave(const bytes* v, i32v* quarters) {
#ifdef X86
    const whole low[2] = {X86(unpacklo_epi8)((whole)v[0], (whole)v[1]), X86(unpacklo_epi8)((whole)v[2], (whole)v[3])};
    const whole high[2] = {X86(unpackhi_epi8)((whole)v[0], (whole)v[1]), X86(unpackhi_epi8)((whole)v[2], (whole)v[3])};
    quarters[0] = (i32v)X86(unpacklo_epi16)(low[0], low[1]);
    quarters[1] = (i32v)X86(unpackhi_epi16)(low[0], low[1]);
    quarters[2] = (i32v)X86(unpacklo_epi16)(high[0], high[1]);
    quarters[3] = (i32v)X86(unpackhi_epi16)(high[0], high[1]);
#else
    for (int index = 0; index < CHANNELS; index++) {
        const int channel = (int)byte_depthwise_order(index);
        for (int tap = 0; tap < GROUP; tap++) {
            ((uint8_t*)&quarters[index / LANES])[index % LANES * GROUP + tap] = ((const uint8_t*)&v[tap])[channel];
        }
    }
#endif
}

/* Join the lowest bytes of the lanes, which are between -128 and 255, in the order of channels. */
OF_INLINE bytes join(const i32v* quarters) {
#ifdef X86
    const whole mask = X86(packs_epi32)((whole)quarters[0], (whole)quarters[1]);
    const whole rest = X86(packs_epi32)((whole)quarters[2], (whole)quarters[3]);
    const i16v low_byte = (i16v){0} + 0xff;
    return (bytes)X86(packus_epi16)((whole)((i16v)mask & low_byte), (whole)((i16v)rest & low_byte));
#else
    bytes joined;
    for (int index = 0; index < CHANNELS; index++) {
        ((uint8_t*)&joined)[byte_depthwise_order(index)] = (uint8_t)quarters[index / LANES][index % LANES];
    }
    return joined;
#endif
}

/* Finish the sums of one channel after the other, for results that are not bytes or are added to other arrays. */
static void finish_one_by_one(const byte_finish* f, const i32v* sums, char* out, int64_t result, int64_t channel,
                              int64_t n, int64_t channels) {
    const int32_t* numbers = (const int32_t*)sums;
    for (int64_t index = 0; index < CHANNELS; index++) {
        const int64_t at = byte_depthwise_order(index), column = channel + index;
        if (at >= n) continue;
        float x = (float)numbers[index] * f->scale[column];
        if (f->shift != NULL) x += f->shift[column];
        if (f->other != NULL) {
            const uint8_t other = ((const uint8_t*)f->other)[result * channels + channel + at];
            x += (float)(f->other_is_signed ? (int8_t)other : other) * f->other_scale;
        }
        x = x > f->low ? x : f->low;
        if (f->type == RESULT_FLOAT32) memcpy(out + (channel + at) * 4, &x, 4);
        else out[channel + at] = (char)(f->type == RESULT_INT8 ? to_int8(x) : to_uint8(x));
    }
}

/* Finish the sums of up to `n` channels, the first of which is `channel`. */
OF_INLINE void finish_channels(const byte_finish* f, i32v* sums, char* out, int64_t channel, int64_t n) {
    const int is_signed = f->type == RESULT_INT8;
    const float least = is_signed ? -128 : 0, low = f->low > least ? f->low : least;
    for (int q = 0; q < QUARTERS; q++) {
        of_f32v x = floats_of(sums[q]) * of_load_f32v(f->scale + channel + q * LANES);
        if (f->shift != NULL) x += of_load_f32v(f->shift + channel + q * LANES);
        sums[q] = round_to_bytes(x, low, is_signed);
    }
    store_channels(out + channel, join(sums), n);
}

/* Compute `n` channels of a result; `dots` is a constant after inlining. */
OF_INLINE void run_channels(const int dots, const byte_depthwise* p, const uint8_t* const* taps, int64_t groups,
                            int64_t channel, int64_t n, int64_t result, char* out) {
    const int8_t* weights = p->weights + channel * groups * GROUP;
    const bytes flip = (bytes){0} + (uint8_t)(p->is_signed ? 0x80 : 0);
    i32v sums[QUARTERS];
    for (int q = 0; q < QUARTERS; q++) sums[q] = load_i32v(p->finish.start + channel + q * LANES);
    for (int64_t group = 0; group < groups; group++, taps += GROUP) {
        bytes v[GROUP];
        i32v quarters[QUARTERS];
#pragma GCC unroll 4
        for (int tap = 0; tap < GROUP; tap++) v[tap] = load_channels(taps[tap] + channel, n) ^ flip;
        interleave(v, quarters);
#pragma GCC unroll 4
        for (int q = 0; q < QUARTERS; q++, weights += OF_VECTOR_BYTES) {
            sums[q] = add_byte_dots(dots, sums[q], quarters[q], load_i32v(weights));
        }
    }
    const byte_finish* f = &p->finish;
    if (f->type != RESULT_FLOAT32 && f->other == NULL) finish_channels(f, sums, out, channel, n);
    else finish_one_by_one(f, sums, out, result, channel, n, p->window.channels);
}

OF_INLINE void run_results(const int dots, const byte_depthwise* p, int64_t begin, int64_t end) {
    const uint8_t* taps[MAX_TAPS + GROUP];
    const byte_window* w = &p->window;
    const int64_t count = window_taps_count(w), groups = (count + GROUP - 1) / GROUP;
    const int64_t channels = w->channels, step = w->stride[1] * channels;
    const int64_t size = p->finish.type == RESULT_FLOAT32 ? 4 : 1;
    int64_t first_x, last_x, first_y, last_y, x = begin % w->out_width, y = begin / w->out_width % w->out_height;
    if (count > MAX_TAPS) return;
    complete_windows(w, 0, w->height, &first_y, &last_y);
    complete_windows(w, 1, w->width, &first_x, &last_x);
    for (int64_t tap = count; tap < groups * GROUP; tap++) taps[tap] = w->outside;
    for (int64_t result = begin; result < end; result++, x++) {
        char* out = p->out + result * channels * size;
        if (x == w->out_width) x = 0, y = y + 1 < w->out_height ? y + 1 : 0;
        if (result > begin && x > first_x && x < last_x && y >= first_y && y < last_y) {
            for (int64_t tap = 0; tap < count; tap++) taps[tap] += step; /* the window before is complete, too */
        } else {
            window_taps(w, result, taps);
        }
        int64_t channel = 0;
        for (; channel + CHANNELS <= channels; channel += CHANNELS) {
            run_channels(dots, p, taps, groups, channel, CHANNELS, result, out);
        }
        if (channel < channels) run_channels(dots, p, taps, groups, channel, channels - channel, result, out);
    }
}

void byte_depthwise_run(const byte_depthwise* p, int64_t begin, int64_t end) {
    if (has_byte_dots()) run_results(1, p, begin, end);
    else run_results(0, p, begin, end);
}
