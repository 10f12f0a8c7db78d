/* MultiBoxDetection for one image. Included once per type. */
#include "by_class.h"

/* Elements of a decoded row: the class, not counting the background, the score and the box. */
enum { NAME(ROW) = 6 };

typedef struct NAME(detect_buffers) {
    T* block;         /* edges of AT_ONCE anchors, one edge after another */
    T* scores;        /* score of the best class of each anchor */
    int32_t* classes; /* -1: the background */
    T* rows;          /* rows of the anchors above the threshold */
    NAME(ranking) order;
    NAME(ranked) ranked;
    NAME(classes) by_class;
} NAME(detect_buffers);

static NAME(detect_buffers) NAME(allocate)(const detect_work* w, arena* r) {
    NAME(detect_buffers) made;
    made.block = (T*)arena_take(r, 4 * AT_ONCE * (int64_t)sizeof(T));
    made.scores = (T*)arena_take(r, w->n * (int64_t)sizeof(T));
    made.classes = (int32_t*)arena_take(r, w->n * (int64_t)sizeof(int32_t));
    made.rows = (T*)arena_take(r, w->n * NAME(ROW) * (int64_t)sizeof(T));
    made.order = NAME(make_ranking)(r, w->n);
    made.ranked = NAME(make_ranked)(r, w->n, REACHING, w->nms_threshold);
    if (!w->force_suppress) made.by_class = NAME(make_classes)(r, w->n, REACHING, w->nms_threshold);
    return made;
}

/* Find the class with the highest score for `n` adjacent anchors; the first class wins ties. */
static void NAME(find_best)(const detect_work* w, const T* scores, int64_t n, T* best, int32_t* classes) {
    T highest[LANES];
    MARK found[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        highest[lane] = -1;
        found[lane] = -1;
    }
    for (int64_t c = 1; c < w->n_classes; c++) {
        for (int64_t lane = 0; lane < (n == LANES ? LANES : n); lane++) {
            T score = scores[c * w->n + lane];
            MARK is_higher = -(MARK)(score > highest[lane]);
            highest[lane] = score > highest[lane] ? score : highest[lane];
            found[lane] = (found[lane] & ~is_higher) | ((MARK)(c - 1) & is_higher);
        }
    }
    for (int64_t lane = 0; lane < n; lane++) {
        best[lane] = highest[lane];
        classes[lane] = (int32_t)found[lane];
    }
}

/* Like std::min and std::max, keep the first argument if either is NaN. */
static inline T NAME(clipped)(T edge) {
    T low = edge < 1 ? edge : 1;
    return 0 < low ? low : 0;
}

/* Decode the boxes of `n` anchors into arrays of edges that are AT_ONCE apart. */
static void NAME(decode)(const detect_work* w, const T* anchors, const T* deltas, int64_t n, T* restrict edges) {
    T v0 = (T)w->variances[0], v1 = (T)w->variances[1], v2 = (T)w->variances[2], v3 = (T)w->variances[3];
    for (int64_t i = 0; i < n; i++) {
        const T *a = anchors + 4 * i, *delta = deltas + 4 * i;
        T width = a[2] - a[0], height = a[3] - a[1];
        T x = delta[0] * v0 * width + (a[0] + a[2]) / 2, y = delta[1] * v1 * height + (a[1] + a[3]) / 2;
        T half_width = NAME(of_exp)(delta[2] * v2) * width / 2, half_height = NAME(of_exp)(delta[3] * v3) * height / 2;
        edges[i] = x - half_width;
        edges[AT_ONCE + i] = y - half_height;
        edges[2 * AT_ONCE + i] = x + half_width;
        edges[3 * AT_ONCE + i] = y + half_height;
    }
    for (int64_t i = 0; i < 4 * AT_ONCE && w->clip; i++) edges[i] = NAME(clipped)(edges[i]);
}

/* Write the rows of anchors that are not background, in order; return their number. */
static int64_t NAME(decode_all)(const detect_work* w, int64_t image, NAME(detect_buffers)* in) {
    const T *scores = (const T*)w->probabilities + image * w->n_classes * w->n;
    const T *anchors = (const T*)w->anchors, *deltas = (const T*)w->deltas + image * w->n * 4;
    int64_t count = 0;
    memset(in->block, 0, 4 * AT_ONCE * sizeof(T));
    for (int64_t first = 0; first < w->n; first += LANES)
        NAME(find_best)(w, scores + first, first + LANES < w->n ? LANES : w->n - first, in->scores + first,
                        in->classes + first);
    for (int64_t first = 0; first < w->n; first += AT_ONCE) {
        int64_t n = first + AT_ONCE < w->n ? AT_ONCE : w->n - first;
        NAME(decode)(w, anchors + 4 * first, deltas + 4 * first, n, in->block);
        for (int64_t i = 0; i < n; i++) { /* the next row overwrites rows below the threshold */
            T score = in->scores[first + i], *row = in->rows + count * NAME(ROW);
            int32_t class_id = in->classes[first + i];
            row[0] = (T)class_id;
            row[1] = score;
            for (int edge = 0; edge < 4; edge++) row[2 + edge] = in->block[edge * AT_ONCE + i];
            in->order.keys[count] = NAME(descending)(score);
            in->order.numbers[count] = (int32_t)count;
            in->classes[count] = class_id;
            count += (class_id >= 0) & (score >= (T)w->threshold);
        }
    }
    return count;
}

/* Write the rows sorted by score and set the class of suppressed ones to -1. Rows beyond `topk` are not moved. */
static int32_t NAME(suppress_rows)(const detect_work* w, NAME(detect_buffers)* in, int64_t count, T* out,
                                   opforge_call* call) {
    int64_t n = w->topk > 0 && w->topk < count ? w->topk : count;
    NAME(sort)(&in->order, count);
    for (int64_t i = 0; i < n; i++) {
        int32_t from = in->order.numbers[i];
        T *row = out + i * NAME(ROW), *x = row + 2;
        memcpy(row, in->rows + from * NAME(ROW), NAME(ROW) * sizeof(T));
        NAME(box) b = {x[0], x[1], x[2], x[3], (x[2] - x[0]) * (x[3] - x[1])};
        NAME(put_box)(&in->ranked.boxes, i, b);
        if (!w->force_suppress) in->by_class.of[i] = in->classes[from];
    }
    for (int64_t i = n; i < count; i++) out[i * NAME(ROW)] = -1;
    int32_t status = w->force_suppress ? NAME(suppress)(&in->ranked, 0, n, n, call)
                                       : NAME(suppress_classes)(&in->ranked, &in->by_class, n, call);
    for (int64_t i = 0; i < n && !status; i++)
        if (in->ranked.suppressed[i]) out[i * NAME(ROW)] = -1;
    return status;
}

static int32_t NAME(detect_image)(const void* work, int64_t image, arena r, opforge_call* call) {
    const detect_work* w = (const detect_work*)work;
    NAME(detect_buffers) in = NAME(allocate)(w, &r);
    T* out = (T*)w->out + image * w->n * NAME(ROW);
    int64_t count = NAME(decode_all)(w, image, &in);
    memcpy(out, in.rows, (size_t)(count * NAME(ROW)) * sizeof(T));
    for (int64_t i = count * NAME(ROW); i < w->n * NAME(ROW); i++) out[i] = -1;
    if (w->nms_threshold <= 0 || w->nms_threshold > 1) return OPFORGE_OK;
    return NAME(suppress_rows)(w, &in, count, out, call);
}
