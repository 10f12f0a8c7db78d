/* Stable radix sort of numbers by ascending keys, one byte at a time. Included once per type. */

typedef struct NAME(ranking) {
    KEY *keys, *spare_keys;
    int32_t *numbers, *spare_numbers;
} NAME(ranking);

static inline NAME(ranking) NAME(make_ranking)(arena* r, int64_t n) {
    NAME(ranking) made;
    made.keys = (KEY*)arena_take(r, n * (int64_t)sizeof(KEY));
    made.spare_keys = (KEY*)arena_take(r, n * (int64_t)sizeof(KEY));
    made.numbers = (int32_t*)arena_take(r, n * (int64_t)sizeof(int32_t));
    made.spare_numbers = (int32_t*)arena_take(r, n * (int64_t)sizeof(int32_t));
    return made;
}

/* Return a key that decreases with the score, equal for both zeros and highest for NaN. */
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

/* Distribute the items by a byte of their keys; `positions` holds the count of each byte. */
static inline void NAME(distribute)(NAME(ranking)* r, int64_t n, int shift, int32_t* positions) {
    int32_t next = 0;
    for (int byte = 0; byte < 256; byte++) {
        int32_t count = positions[byte];
        positions[byte] = next;
        next += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int32_t position = positions[(r->keys[i] >> shift) & 255]++;
        r->spare_keys[position] = r->keys[i];
        r->spare_numbers[position] = r->numbers[i];
    }
    NAME(ranking) distributed = {r->spare_keys, r->keys, r->spare_numbers, r->numbers};
    *r = distributed;
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
        int is_shared = counts[byte][(r->keys[0] >> (8 * byte)) & 255] == n; /* already in order */
        if (!is_shared) NAME(distribute)(r, n, 8 * byte, counts[byte]);
    }
}
