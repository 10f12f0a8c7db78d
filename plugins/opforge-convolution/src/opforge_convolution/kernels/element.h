/* Vectors of elements of float32, or of bfloat16 if `brain`, which is a constant after inlining. */
#ifndef OPFORGE_CONVOLUTION_ELEMENT_H
#define OPFORGE_CONVOLUTION_ELEMENT_H

#include <opforge/brain.h>

#include "vec.h"

/* The address of an element. */
OF_INLINE const char* element_at(int brain, const void* array, int64_t at) {
    return (const char*)array + at * (brain ? (int64_t)sizeof(uint16_t) : (int64_t)sizeof(float));
}

OF_INLINE vec load_elements(const int brain, const void* from) {
#ifdef OF_BRAIN_PRODUCTS
    if (brain) return (vec)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)from)), 16);
#endif
    (void)brain;
    return V(load)((const float*)from);
}

OF_INLINE void store_elements(const int brain, void* to, vec x) {
#ifdef OF_BRAIN_PRODUCTS
    if (brain) {
        _mm256_storeu_si256((__m256i*)to, _mm512_castsi512_si256(of_round_pairs(x, x)));
        return;
    }
#endif
    (void)brain;
    V(store)((float*)to, x);
}

/* Store the first `n` elements of a vector. */
OF_INLINE void store_some_elements(const int brain, void* to, vec x, int64_t n) {
#ifdef OF_BRAIN_PRODUCTS
    if (brain) {
        const __mmask16 lanes = n >= LANES ? 0xffff : (__mmask16)((1u << n) - 1);
        _mm256_mask_storeu_epi16(to, lanes, _mm512_castsi512_si256(of_round_pairs(x, x)));
        return;
    }
#endif
    (void)brain;
    V(store_some)((float*)to, x, n);
}

/* Load the first `n` elements of a vector; the others are zero. */
OF_INLINE vec load_some_elements(const int brain, const void* from, int64_t n) {
#ifdef OF_BRAIN_PRODUCTS
    if (brain) {
        const __mmask16 lanes = n >= LANES ? 0xffff : n > 0 ? (__mmask16)((1u << n) - 1) : 0;
        return (vec)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, from)), 16);
    }
#endif
    (void)brain;
    return V(load_some)((const float*)from, n);
}

#endif
