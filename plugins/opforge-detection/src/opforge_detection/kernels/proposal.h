/* Region proposals of one image. Included once per type. */
#include "ranking.h"
#include "suppression.h"

typedef struct NAME(proposal_buffers) {
    T *boxes, *scores;
    NAME(ranking) order;
    NAME(ranked) ranked;
    int32_t* kept;
} NAME(proposal_buffers);

static NAME(proposal_buffers) NAME(allocate)(const proposal_work* w, arena* r) {
    NAME(proposal_buffers) made;
    made.boxes = (T*)arena_take(r, 4 * w->n * (int64_t)sizeof(T));
    made.scores = (T*)arena_take(r, w->n * (int64_t)sizeof(T));
    made.order = NAME(make_ranking)(r, w->n);
    made.ranked = NAME(make_ranked)(r, w->n_before, PIXELS, w->threshold);
    made.kept = (int32_t*)arena_take(r, w->n_before * (int64_t)sizeof(int32_t));
    return made;
}

/* Compute the anchor of a ratio and a scale around the first pixel, in pixels of the image. */
static void NAME(anchor)(const proposal_work* w, int64_t number, T* box) {
    T scale = (T)w->scales[number % w->n_scales], ratio = (T)w->ratios[number / w->n_scales];
    T stride = (T)w->stride, middle = (stride - 1) / 2, area = floor(stride * stride / ratio);
    T side = floor(sqrt(area) + (T)0.5), width = side * scale;
    T height = floor(width / scale * ratio + (T)0.5) * scale;
    box[0] = middle - (width - 1) / 2;
    box[1] = middle - (height - 1) / 2;
    box[2] = middle + (width - 1) / 2;
    box[3] = middle + (height - 1) / 2;
}

/* Apply the predicted deltas to an anchor; halves are computed in float64, as in MXNet. */
static void NAME(apply_deltas)(const proposal_work* w, const T* deltas, T* box) {
    T dx = deltas[0], dy = deltas[w->plane], dw = deltas[2 * w->plane], dh = deltas[3 * w->plane];
    if (w->iou_loss) {
        box[0] += dx;
        box[1] += dy;
        box[2] += dw;
        box[3] += dh;
        return;
    }
    T width = box[2] - box[0] + 1, height = box[3] - box[1] + 1;
    T x = (T)(box[0] + 0.5 * (width - 1.0)), y = (T)(box[1] + 0.5 * (height - 1.0));
    T to_x = dx * width + x, to_y = dy * height + y;
    T to_width = exp(dw) * width, to_height = exp(dh) * height;
    box[0] = (T)(to_x - 0.5 * (to_width - 1.0));
    box[1] = (T)(to_y - 0.5 * (to_height - 1.0));
    box[2] = (T)(to_x + 0.5 * (to_width - 1.0));
    box[3] = (T)(to_y + 0.5 * (to_height - 1.0));
}

/* Like std::min and std::max, keep the first argument if either is NaN. */
static inline T NAME(clipped)(T edge, T most) {
    T low = most < edge ? most : edge;
    return low < 0 ? 0 : low;
}

/* Enlarge a box below the minimum size and give it the lowest score. */
static inline void NAME(grow)(T* box, T* score, T min_size) {
    if (!(box[2] - box[0] + 1 < min_size || box[3] - box[1] + 1 < min_size)) return;
    box[0] -= min_size / 2;
    box[1] -= min_size / 2;
    box[2] += min_size / 2;
    box[3] += min_size / 2;
    *score = -1;
}

/* Return the number of rows or columns of the map that the image covers, or -1 if it exceeds the map. */
static int64_t NAME(real_length)(T length, int64_t stride, int64_t map) {
    T real = length / (T)stride;
    if (!(real >= 1)) return 0;
    return real < (T)(map + 1) ? (int64_t)real : -1;
}

static int32_t NAME(propose_all)(const proposal_work* w, int64_t image, NAME(proposal_buffers)* in) {
    const T *deltas = (const T*)w->deltas + image * w->n * 4, *info = (const T*)w->info + 3 * image;
    const T* scores = (const T*)w->scores + (2 * image + 1) * w->n; /* after those of the background */
    int64_t rows = NAME(real_length)(info[0], w->stride, w->height);
    int64_t columns = NAME(real_length)(info[1], w->stride, w->width);
    if (rows < 0 || columns < 0)
        return opforge_fail(w->call, OPFORGE_ERROR, "input 'im_info' has an image of %g by %g; expected at most "
                            "%lld by %lld: the map of cls_prob times feature_stride", (double)info[0], (double)info[1],
                            (long long)(w->height * w->stride), (long long)(w->width * w->stride));
    for (int64_t number = 0; number < w->n_anchors; number++) {
        T anchor[4];
        NAME(anchor)(w, number, anchor);
        for (int64_t pixel = 0; pixel < w->plane; pixel++) {
            int64_t row = pixel / w->width, column = pixel % w->width, at = pixel * w->n_anchors + number;
            T *box = in->boxes + 4 * at, x = (T)(column * w->stride), y = (T)(row * w->stride);
            for (int edge = 0; edge < 4; edge++) box[edge] = anchor[edge] + (edge & 1 ? y : x);
            NAME(apply_deltas)(w, deltas + 4 * number * w->plane + pixel, box);
            for (int edge = 0; edge < 4; edge++) box[edge] = NAME(clipped)(box[edge], info[!(edge & 1)] - 1);
            in->scores[at] = row < rows && column < columns ? scores[number * w->plane + pixel] : -1;
            NAME(grow)(box, &in->scores[at], (T)w->min_size * info[2]);
            in->order.keys[at] = NAME(descending)(in->scores[at]);
            in->order.numbers[at] = (int32_t)at;
        }
    }
    return OPFORGE_OK;
}

/* Write the kept regions, repeated if there are too few. */
static void NAME(write_regions)(const proposal_work* w, int64_t image, const NAME(proposal_buffers)* in) {
    int64_t count = 0;
    for (int64_t i = 0; i < w->n_before; i++)
        if (!in->ranked.suppressed[i]) in->kept[count++] = in->order.numbers[i];
    for (int64_t i = 0; i < w->n_after; i++) {
        int32_t from = in->kept[i % count];
        T* region = (T*)w->regions + (image * w->n_after + i) * 5;
        region[0] = (T)image;
        memcpy(region + 1, in->boxes + 4 * from, 4 * sizeof(T));
        ((T*)w->region_scores)[image * w->n_after + i] = in->scores[from];
    }
}

static int32_t NAME(propose)(const void* work, int64_t image, arena r, opforge_call* call) {
    const proposal_work* w = (const proposal_work*)work;
    NAME(proposal_buffers) in = NAME(allocate)(w, &r);
    int32_t status = NAME(propose_all)(w, image, &in);
    if (status) return status;
    NAME(sort)(&in.order, w->n);
    for (int64_t i = 0; i < w->n_before; i++) {
        const T* x = in.boxes + 4 * in.order.numbers[i];
        NAME(box) b = {x[0], x[1], x[2], x[3], (x[2] - x[0] + 1) * (x[3] - x[1] + 1)};
        NAME(put_box)(&in.ranked.boxes, i, b);
    }
    int64_t most = w->n_after < w->n_before ? w->n_after : w->n_before;
    status = NAME(suppress)(&in.ranked, 0, w->n_before, most, call);
    if (!status) NAME(write_regions)(w, image, &in);
    return status;
}
