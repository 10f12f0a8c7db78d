/* Stable sorting of numbers by keys, the lowest first: a byte of the keys at a time. Included once for each
 * type. */

typedef struct NAME(ranking) {
    KEY *keys, *other_keys;
    int32_t *numbers, *other_numbers;
} NAME(ranking);

static inline NAME(ranking) NAME(make_ranking)(room* r, int64_t n) {
    NAME(ranking) made;
    made.keys = (KEY*)take(r, n * (int64_t)sizeof(KEY));
    made.other_keys = (KEY*)take(r, n * (int64_t)sizeof(KEY));
    made.numbers = (int32_t*)take(r, n * (int64_t)sizeof(int32_t));
    made.other_numbers = (int32_t*)take(r, n * (int64_t)sizeof(int32_t));
    return made;
}

/* A key that is lower for higher scores, the same for both zeros, and highest for NaN. */
static inline KEY NAME(descending)(T score) {
    const KEY sign = (KEY)1 << (8 * sizeof(KEY) - 1);
    KEY bits;
    score += 0; /* -0 becomes 0 */
    if (score != score) return ~(KEY)0;
    memcpy(&bits, &score, sizeof bits);
    return bits & sign ? bits : ~(bits | sign);
}

static inline void NAME(sort_few)(NAME(ranking)* r, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        KEY key = r->keys[i];
        int32_t number = r->numbers[i];
        int64_t at = i;
        for (; at > 0 && r->keys[at - 1] > key; at--) {
            r->keys[at] = r->keys[at - 1];
            r->numbers[at] = r->numbers[at - 1];
        }
        r->keys[at] = key;
        r->numbers[at] = number;
    }
}

/* Move everything to where its byte belongs; `places` says how often each byte comes. */
static inline void NAME(deal)(NAME(ranking)* r, int64_t n, int shift, int32_t* places) {
    int32_t next = 0;
    for (int byte = 0; byte < 256; byte++) {
        int32_t count = places[byte];
        places[byte] = next;
        next += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int32_t place = places[(r->keys[i] >> shift) & 255]++;
        r->other_keys[place] = r->keys[i];
        r->other_numbers[place] = r->numbers[i];
    }
    NAME(ranking) dealt = {r->other_keys, r->keys, r->other_numbers, r->numbers};
    *r = dealt;
}

static inline void NAME(sort)(NAME(ranking)* r, int64_t n) {
    enum { FEW = 32, BYTES = sizeof(KEY) };
    int32_t counts[BYTES][256];
    if (n <= FEW) {
        NAME(sort_few)(r, n);
        return;
    }
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < n; i++)
        for (int byte = 0; byte < BYTES; byte++) counts[byte][(r->keys[i] >> (8 * byte)) & 255]++;
    for (int byte = 0; byte < BYTES; byte++) {
        int is_shared = counts[byte][(r->keys[0] >> (8 * byte)) & 255] == n; /* nothing would move */
        if (!is_shared) NAME(deal)(r, n, 8 * byte, counts[byte]);
    }
}
