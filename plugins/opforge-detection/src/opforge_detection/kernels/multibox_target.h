/* MultiBoxTarget for one image. Included once per type. */
#include "boxes.h"
#include "ranking.h"

typedef struct NAME(target_buffers) {
    T* overlaps;      /* of the current object with each anchor */
    T* best;          /* largest overlap of each anchor with an object, or -1 */
    int32_t* object;  /* object with that overlap */
    int8_t* flags;    /* UNUSED, NEGATIVE or POSITIVE */
    T* anchor_overlap;       /* largest overlap of each object with an unmatched anchor */
    int32_t* anchor;  /* anchor with that overlap; -1 if none, or if the object is matched */
    T *highest, *sums; /* of AT_ONCE anchors */
    NAME(ranking) order;
} NAME(target_buffers);

static NAME(target_buffers) NAME(allocate)(const target_work* w, arena* r) {
    NAME(target_buffers) made;
    made.overlaps = (T*)arena_take(r, w->n * (int64_t)sizeof(T));
    made.best = (T*)arena_take(r, w->n * (int64_t)sizeof(T));
    made.object = (int32_t*)arena_take(r, w->n * (int64_t)sizeof(int32_t));
    made.flags = (int8_t*)arena_take(r, w->n);
    made.anchor_overlap = (T*)arena_take(r, w->most_objects * (int64_t)sizeof(T));
    made.anchor = (int32_t*)arena_take(r, w->most_objects * (int64_t)sizeof(int32_t));
    made.highest = (T*)arena_take(r, AT_ONCE * (int64_t)sizeof(T));
    made.sums = (T*)arena_take(r, AT_ONCE * (int64_t)sizeof(T));
    if (w->mining_ratio > 0) made.order = NAME(make_ranking)(r, w->n);
    return made;
}

/* -- overlaps ------------------------------------------------------------------------------------------- */

/* Compute the overlaps of an object with all anchors. Inverted boxes have negative areas; NaN overlaps nothing. */
static void NAME(find_overlaps)(const target_work* w, const T* x, T* restrict overlaps) {
    const T *left = (const T*)w->edges[0], *top = (const T*)w->edges[1], *right = (const T*)w->edges[2],
            *bottom = (const T*)w->edges[3];
    T area = (x[2] - x[0]) * (x[3] - x[1]);
    for (int64_t i = 0; i < w->n; i++) {
        T width = NAME(common)(left[i], right[i], x[0], x[2], 0);
        T height = NAME(common)(top[i], bottom[i], x[1], x[3], 0);
        T shared = width * height, all = (right[i] - left[i]) * (bottom[i] - top[i]) + area - shared;
        overlaps[i] = all == 0 ? 0 : shared / all;
    }
}

/* Return the first unmatched anchor with the largest overlap above 1e-6, or -1. */
static int32_t NAME(find_best_anchor)(const target_work* w, const NAME(target_buffers)* in, T* overlap) {
    T lanes[LANES];
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = (T)LEAST_OVERLAP;
    int64_t i = 0;
    for (; i + LANES <= w->n; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            T x = in->flags[i + lane] == POSITIVE ? -1 : in->overlaps[i + lane];
            lanes[lane] = x > lanes[lane] ? x : lanes[lane];
        }
    }
    for (; i < w->n; i++)
        if (in->flags[i] != POSITIVE && in->overlaps[i] > lanes[0]) lanes[0] = in->overlaps[i];
    for (int lane = 1; lane < LANES; lane++) lanes[0] = lanes[lane] > lanes[0] ? lanes[lane] : lanes[0];
    *overlap = lanes[0];
    if (!(lanes[0] > (T)LEAST_OVERLAP)) return -1;
    for (i = 0; in->overlaps[i] != lanes[0] || in->flags[i] == POSITIVE;) i++;
    return (int32_t)i;
}

static void NAME(update_best_anchor)(const target_work* w, const T* labels, const NAME(target_buffers)* in,
                                     int64_t object) {
    NAME(find_overlaps)(w, labels + object * w->label_width + 1, in->overlaps);
    in->anchor[object] = NAME(find_best_anchor)(w, in, &in->anchor_overlap[object]);
}

/* -- matches -------------------------------------------------------------------------------------------- */

/* Return the object with the largest overlap with its anchor, or -1; the first anchor wins ties. */
static int64_t NAME(next_object)(const NAME(target_buffers)* in, int64_t n_objects) {
    int64_t found = -1;
    for (int64_t k = 0; k < n_objects; k++) {
        if (in->anchor[k] < 0) continue;
        int is_better = found < 0 || in->anchor_overlap[k] > in->anchor_overlap[found] ||
                        (in->anchor_overlap[k] == in->anchor_overlap[found] && in->anchor[k] < in->anchor[found]);
        if (is_better) found = k;
    }
    return found;
}

/* Find the object that each anchor overlaps most, and match each object with the anchor that overlaps it most,
 * in order of decreasing overlap. Return the number of matches. */
static int64_t NAME(match_objects)(const target_work* w, const T* labels, const NAME(target_buffers)* in,
                                   int64_t n_objects) {
    int64_t count = 0;
    for (int64_t i = 0; i < w->n; i++) {
        in->best[i] = -1;
        in->object[i] = -1;
        in->flags[i] = UNUSED;
    }
    for (int64_t k = 0; k < n_objects; k++) {
        NAME(update_best_anchor)(w, labels, in, k);
        for (int64_t i = 0; i < w->n; i++) {
            int is_larger = in->overlaps[i] > in->best[i];
            in->best[i] = is_larger ? in->overlaps[i] : in->best[i];
            in->object[i] = is_larger ? (int32_t)k : in->object[i];
        }
    }
    for (int64_t k = NAME(next_object)(in, n_objects); k >= 0; k = NAME(next_object)(in, n_objects)) {
        int32_t matched = in->anchor[k];
        in->flags[matched] = POSITIVE;
        in->object[matched] = (int32_t)k;
        in->anchor[k] = -1;
        count++;
        for (int64_t other = 0; other < n_objects; other++)
            if (in->anchor[other] == matched) NAME(update_best_anchor)(w, labels, in, other);
    }
    return count;
}

/* Match other anchors whose overlap with an object exceeds the threshold. Return the number of matches. */
static int64_t NAME(match_anchors)(const target_work* w, const NAME(target_buffers)* in) {
    int64_t count = 0;
    for (int64_t i = 0; i < w->n; i++) {
        if (in->flags[i] == POSITIVE || !(in->best[i] > (T)w->overlap_threshold)) continue;
        in->flags[i] = POSITIVE;
        count++;
    }
    return count;
}

/* -- negative anchors ------------------------------------------------------------------------------------- */

/* Compute the background probability of `n` adjacent anchors. */
static void NAME(background)(const target_work* w, const T* scores, int64_t first, int64_t n, T* restrict highest,
                             T* restrict sums) {
    for (int64_t i = 0; i < n; i++) {
        highest[i] = scores[first + i];
        sums[i] = 0;
    }
    for (int64_t c = 1; c < w->n_classes; c++) {
        const T* row = scores + c * w->n + first;
        for (int64_t i = 0; i < n; i++) highest[i] = row[i] > highest[i] ? row[i] : highest[i];
    }
    for (int64_t c = 0; c < w->n_classes; c++) {
        const T* row = scores + c * w->n + first;
        for (int64_t i = 0; i < n; i++) sums[i] += NAME(of_exp)(row[i] - highest[i]);
    }
    for (int64_t i = 0; i < n; i++) sums[i] = NAME(of_exp)(scores[first + i] - highest[i]) / sums[i];
}

/* Mark as negative the `wanted` anchors with the lowest background probability among those with small overlaps.
 * Return the number of anchors missing. */
static int64_t NAME(mine)(const target_work* w, const T* scores, NAME(target_buffers)* in, int64_t wanted) {
    int64_t count = 0;
    for (int64_t first = 0; first < w->n; first += AT_ONCE) {
        int64_t n = first + AT_ONCE < w->n ? AT_ONCE : w->n - first;
        NAME(background)(w, scores, first, n, in->highest, in->sums);
        for (int64_t i = 0; i < n; i++) {
            if (in->flags[first + i] == POSITIVE || !(in->best[first + i] < (T)w->mining_thresh)) continue;
            in->order.keys[count] = NAME(descending)(-in->sums[i]);
            in->order.numbers[count++] = (int32_t)(first + i);
        }
    }
    if (count < wanted) return wanted - count;
    NAME(sort)(&in->order, count);
    for (int64_t i = 0; i < wanted; i++) in->flags[in->order.numbers[i]] = NEGATIVE;
    return 0;
}

/* -- targets ---------------------------------------------------------------------------------------------- */

/* Encode an object relative to an anchor. */
static void NAME(encode)(const target_work* w, const T* anchor, const T* x, T* deltas) {
    T a_width = anchor[2] - anchor[0], a_height = anchor[3] - anchor[1];
    T a_x = (anchor[0] + anchor[2]) / 2, a_y = (anchor[1] + anchor[3]) / 2;
    deltas[0] = ((x[0] + x[2]) / 2 - a_x) / a_width / (T)w->variances[0];
    deltas[1] = ((x[1] + x[3]) / 2 - a_y) / a_height / (T)w->variances[1];
    deltas[2] = log((x[2] - x[0]) / a_width) / (T)w->variances[2];
    deltas[3] = log((x[3] - x[1]) / a_height) / (T)w->variances[3];
}

static void NAME(write_targets)(const target_work* w, const T* labels, const NAME(target_buffers)* in, int64_t image) {
    T* class_target = (T*)w->class_target + image * w->n;
    for (int64_t i = 0; i < w->n; i++) {
        if (in->flags[i] == UNUSED) continue;
        const T* label = labels + in->object[i] * w->label_width;
        class_target[i] = 0;
        if (in->flags[i] == NEGATIVE) continue;
        int64_t at = (image * w->n + i) * 4;
        class_target[i] = label[0] + 1;
        for (int edge = 0; edge < 4; edge++) ((T*)w->box_mask)[at + edge] = 1;
        NAME(encode)(w, (const T*)w->anchors + 4 * i, label + 1, (T*)w->box_target + at);
    }
}

/* Return the number of objects before the row of -1 that ends an image's labels, or -1 if that row has a box. */
static int64_t NAME(count_objects)(const target_work* w, const T* labels) {
    int64_t n = 0;
    for (; n < w->most_objects; n++, labels += w->label_width) {
        if (labels[0] != -1) continue;
        int is_end = labels[1] == -1 && labels[2] == -1 && labels[3] == -1 && labels[4] == -1;
        return is_end ? n : -1;
    }
    return n;
}

static int32_t NAME(target_image)(const target_work* w, int64_t image, arena r) {
    const T* labels = (const T*)w->labels + image * w->most_objects * w->label_width;
    const T* scores = (const T*)w->scores + image * w->n_classes * w->n;
    T* class_target = (T*)w->class_target + image * w->n;
    NAME(target_buffers) in = NAME(allocate)(w, &r);
    memset((T*)w->box_target + image * w->n * 4, 0, (size_t)w->n * 4 * sizeof(T));
    memset((T*)w->box_mask + image * w->n * 4, 0, (size_t)w->n * 4 * sizeof(T));
    for (int64_t i = 0; i < w->n; i++) class_target[i] = (T)w->ignore_label;
    int64_t n_objects = NAME(count_objects)(w, labels);
    if (n_objects < 0)
        return opforge_fail(w->call, OPFORGE_ERROR, "input 'label' has class -1 with a box in image %lld; expected "
                            "rows of -1 only after the last object", (long long)image);
    if (n_objects == 0) return OPFORGE_OK;
    int64_t n_positive = NAME(match_objects)(w, labels, &in, n_objects);
    if (w->overlap_threshold > 0) n_positive += NAME(match_anchors)(w, &in);
    if (w->mining_ratio > 0) {
        double wanted = (double)((T)n_positive * (T)w->mining_ratio), most = (double)(w->n - n_positive);
        int64_t missing = NAME(mine)(w, scores, &in, (int64_t)(wanted < most ? wanted : most));
        if (missing > 0)
            return opforge_fail(w->call, OPFORGE_ERROR, "negative_mining_ratio requires %lld more negative anchors "
                                "than image %lld has with overlaps below negative_mining_thresh; pass a higher threshold",
                                (long long)missing, (long long)image);
    } else {
        for (int64_t i = 0; i < w->n; i++) in.flags[i] = in.flags[i] == POSITIVE ? POSITIVE : NEGATIVE;
    }
    NAME(write_targets)(w, labels, &in, image);
    return OPFORGE_OK;
}

static int32_t NAME(target_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const target_work* w = (const target_work*)argument;
    for (int64_t image = begin; image < end; image++) {
        int32_t status = NAME(target_image)(w, image, (arena){(char*)worker->scratch, 0});
        if (status) return status;
    }
    return OPFORGE_OK;
}

/* Copy the edges of all anchors to separate arrays, for vectorization. */
static void NAME(split_anchor_edges)(target_work* w) {
    for (int64_t i = 0; i < w->n; i++)
        for (int edge = 0; edge < 4; edge++) ((T*)w->edges[edge])[i] = ((const T*)w->anchors)[4 * i + edge];
}
