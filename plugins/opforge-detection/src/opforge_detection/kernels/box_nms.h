/* box_nms for one image. Included once per type. */
#include "by_class.h"

typedef struct NAME(nms_buffers) {
    NAME(ranking) order;
    NAME(ranked) ranked;
    NAME(classes) classes;
} NAME(nms_buffers);

static NAME(nms_buffers) NAME(allocate)(const nms_work* w, arena* r) {
    NAME(nms_buffers) made;
    made.order = NAME(make_ranking)(r, w->n);
    made.ranked = NAME(make_ranked)(r, w->n, w->rule, w->overlap_thresh);
    if (w->by_class) made.classes = NAME(make_classes)(r, w->n, w->rule, w->overlap_thresh);
    return made;
}

/* Truncate a class to int32. Values out of range form one more class, as on x86. */
static inline int32_t NAME(class_of)(T id) {
    return id > (T)-2147483648.0 && id < (T)2147483648.0 ? (int32_t)id : INT32_MIN;
}

/* Sort the valid boxes by score and return the number to consider. */
static int64_t NAME(choose)(const nms_work* w, const T* boxes, NAME(ranking)* order) {
    int64_t n = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const T* box = boxes + i * w->width;
        int counts = box[w->score_index] > (T)w->valid_thresh;
        if (w->id_index >= 0) counts = counts && box[w->id_index] != (T)w->background_id;
        if (!counts) continue;
        order->keys[n] = NAME(descending)(box[w->score_index]);
        order->numbers[n++] = (int32_t)i;
    }
    NAME(sort)(order, n);
    return n < w->topk ? n : w->topk;
}

/* Convert the format of a box; like MXNet, skip boxes that start left of the image. */
static void NAME(convert)(T* x, int to_center) {
    T a = x[0], b = x[1], c = x[2], d = x[3];
    if (a < 0) return;
    if (to_center) {
        x[0] = (a + c) / 2;
        x[1] = (b + d) / 2;
        x[2] = c - a;
        x[3] = d - b;
    } else {
        x[0] = a - c / 2;
        x[1] = b - d / 2;
        x[2] = a + c / 2;
        x[3] = b + d / 2;
    }
}

/* Write the boxes that were kept, and -1 for the others. */
static void NAME(write_kept)(const nms_work* w, const T* boxes, const NAME(nms_buffers)* in, int64_t n, T* out,
                             int32_t* record) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t from = in->order.numbers[i];
        if (in->ranked.suppressed[i]) continue;
        T* row = out + count * w->width;
        memcpy(row, boxes + from * w->width, (size_t)w->width * sizeof(T));
        if (w->converts) NAME(convert)(row + w->coord_start, w->to_center);
        record[count++] = from;
    }
    for (int64_t i = count * w->width; i < w->n * w->width; i++) out[i] = -1;
    for (int64_t i = count; i < w->n; i++) record[i] = -1;
}

static int32_t NAME(suppress_image)(const void* work, int64_t image, arena r, opforge_call* call) {
    const nms_work* w = (const nms_work*)work;
    const T* boxes = (const T*)w->data + image * w->n * w->width;
    NAME(nms_buffers) in = NAME(allocate)(w, &r);
    int64_t n = NAME(choose)(w, boxes, &in.order);
    for (int64_t i = 0; i < n; i++) {
        const T* box = boxes + in.order.numbers[i] * w->width;
        NAME(put_box)(&in.ranked.boxes, i, NAME(read_box)(box + w->coord_start, w->rule == CENTERS));
        if (w->by_class) in.classes.of[i] = NAME(class_of)(box[w->id_index]);
    }
    int32_t status = w->by_class ? NAME(suppress_classes)(&in.ranked, &in.classes, n, call)
                                 : NAME(suppress)(&in.ranked, 0, n, n, call);
    if (status) return status;
    T* out = (T*)w->out + image * w->n * w->width;
    NAME(write_kept)(w, boxes, &in, n, out, w->record + image * w->n);
    return OPFORGE_OK;
}

/* Copy the gradient of each kept box to its input; other boxes have zero gradient. */
static int32_t NAME(return_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const nms_work* w = (const nms_work*)argument;
    (void)worker;
    for (int64_t image = begin; image < end; image++) {
        const T* head = (const T*)w->data + image * w->n * w->width;
        const int32_t* record = w->record + image * w->n;
        T* grad = (T*)w->out + image * w->n * w->width;
        memset(grad, 0, (size_t)(w->n * w->width) * sizeof(T));
        for (int64_t i = 0; i < w->n && record[i] >= 0; i++)
            memcpy(grad + record[i] * w->width, head + i * w->width, (size_t)w->width * sizeof(T));
    }
    return OPFORGE_OK;
}
