/* Regions that a network proposes in one picture. Included once for each type. */

typedef struct NAME(proposal_room) {
    T *boxes, *scores;
    NAME(ranking) order;
    NAME(ranked) ranked;
    int32_t* kept;
} NAME(proposal_room);

static NAME(proposal_room) NAME(lay_out)(const proposal_work* w, room* r) {
    NAME(proposal_room) made;
    made.boxes = (T*)take(r, 4 * w->n * (int64_t)sizeof(T));
    made.scores = (T*)take(r, w->n * (int64_t)sizeof(T));
    made.order = NAME(make_ranking)(r, w->n);
    made.ranked = NAME(make_ranked)(r, w->n_before, PIXELS, w->threshold);
    made.kept = (int32_t*)take(r, w->n_before * (int64_t)sizeof(int32_t));
    return made;
}

/* The anchor of a ratio and a scale around the first pixel, in pixels of the picture. */
static void NAME(anchor)(const proposal_work* w, int64_t number, T* box) {
    T scale = (T)w->scales[number % w->n_scales], ratio = (T)w->ratios[number / w->n_scales];
    T stride = (T)w->stride, middle = (stride - 1) / 2, area = NAME(whole)(stride * stride / ratio);
    T side = NAME(whole)(NAME(root)(area) + (T)0.5), width = side * scale;
    T height = NAME(whole)(width / scale * ratio + (T)0.5) * scale;
    box[0] = middle - (width - 1) / 2;
    box[1] = middle - (height - 1) / 2;
    box[2] = middle + (width - 1) / 2;
    box[3] = middle + (height - 1) / 2;
}

/* Move an anchor, as the network predicts it; halves are in float64, as in MXNet. */
static void NAME(move)(const proposal_work* w, const T* moves, T* box) {
    T dx = moves[0], dy = moves[w->plane], dw = moves[2 * w->plane], dh = moves[3 * w->plane];
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
    T to_width = NAME(e_to)(dw) * width, to_height = NAME(e_to)(dh) * height;
    box[0] = (T)(to_x - 0.5 * (to_width - 1.0));
    box[1] = (T)(to_y - 0.5 * (to_height - 1.0));
    box[2] = (T)(to_x + 0.5 * (to_width - 1.0));
    box[3] = (T)(to_y + 0.5 * (to_height - 1.0));
}

/* std::min and std::max keep their first argument beside NaN. */
static inline T NAME(clipped)(T edge, T most) {
    T low = most < edge ? most : edge;
    return low < 0 ? 0 : low;
}

/* Too small a box becomes larger, and the last one of all. */
static inline void NAME(grow)(T* box, T* score, T least) {
    if (!(box[2] - box[0] + 1 < least || box[3] - box[1] + 1 < least)) return;
    box[0] -= least / 2;
    box[1] -= least / 2;
    box[2] += least / 2;
    box[3] += least / 2;
    *score = -1;
}

/* How many rows or columns of the map the picture has; -1: more than the map. */
static int64_t NAME(real_length)(T length, int64_t stride, int64_t map) {
    T real = length / (T)stride;
    if (!(real >= 1)) return 0;
    return real < (T)(map + 1) ? (int64_t)real : -1;
}

static int32_t NAME(propose_all)(const proposal_work* w, int64_t picture, NAME(proposal_room)* in) {
    const T *moves = (const T*)w->moves + picture * w->n * 4, *info = (const T*)w->info + 3 * picture;
    const T* scores = (const T*)w->scores + (2 * picture + 1) * w->n; /* behind those of the background */
    int64_t rows = NAME(real_length)(info[0], w->stride, w->height);
    int64_t columns = NAME(real_length)(info[1], w->stride, w->width);
    if (rows < 0 || columns < 0)
        return opforge_fail(w->call, OPFORGE_ERROR, "input 'im_info' has an image of %g by %g, expected at most %lld by "
                            "%lld: the map of cls_prob times feature_stride", (double)info[0], (double)info[1],
                            (long long)(w->height * w->stride), (long long)(w->width * w->stride));
    for (int64_t number = 0; number < w->n_anchors; number++) {
        T anchor[4];
        NAME(anchor)(w, number, anchor);
        for (int64_t pixel = 0; pixel < w->plane; pixel++) {
            int64_t row = pixel / w->width, column = pixel % w->width, at = pixel * w->n_anchors + number;
            T *box = in->boxes + 4 * at, x = (T)(column * w->stride), y = (T)(row * w->stride);
            for (int edge = 0; edge < 4; edge++) box[edge] = anchor[edge] + (edge & 1 ? y : x);
            NAME(move)(w, moves + 4 * number * w->plane + pixel, box);
            for (int edge = 0; edge < 4; edge++) box[edge] = NAME(clipped)(box[edge], info[!(edge & 1)] - 1);
            in->scores[at] = row < rows && column < columns ? scores[number * w->plane + pixel] : -1;
            NAME(grow)(box, &in->scores[at], (T)w->min_size * info[2]);
            in->order.keys[at] = NAME(descending)(in->scores[at]);
            in->order.numbers[at] = (int32_t)at;
        }
    }
    return OPFORGE_OK;
}

/* Where fewer stay than are wanted, they are repeated. */
static void NAME(write_regions)(const proposal_work* w, int64_t picture, const NAME(proposal_room)* in) {
    int64_t count = 0;
    for (int64_t i = 0; i < w->n_before; i++)
        if (!in->ranked.gone[i]) in->kept[count++] = in->order.numbers[i];
    for (int64_t i = 0; i < w->n_after; i++) {
        int32_t from = in->kept[i % count];
        T* region = (T*)w->regions + (picture * w->n_after + i) * 5;
        region[0] = (T)picture;
        memcpy(region + 1, in->boxes + 4 * from, 4 * sizeof(T));
        ((T*)w->region_scores)[picture * w->n_after + i] = in->scores[from];
    }
}

static int32_t NAME(propose)(const proposal_work* w, int64_t picture, room r, opforge_call* call) {
    NAME(proposal_room) in = NAME(lay_out)(w, &r);
    int32_t status = NAME(propose_all)(w, picture, &in);
    if (status) return status;
    NAME(sort)(&in.order, w->n);
    for (int64_t i = 0; i < w->n_before; i++) {
        const T* x = in.boxes + 4 * in.order.numbers[i];
        NAME(box) b = {x[0], x[1], x[2], x[3], (x[2] - x[0] + 1) * (x[3] - x[1] + 1)};
        NAME(put_box)(&in.ranked.boxes, i, b);
    }
    int64_t most = w->n_after < w->n_before ? w->n_after : w->n_before;
    status = NAME(suppress)(&in.ranked, 0, w->n_before, most, call);
    if (!status) NAME(write_regions)(w, picture, &in);
    return status;
}

static int32_t NAME(propose_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const proposal_work* w = (const proposal_work*)argument;
    for (int64_t picture = begin; picture < end; picture++) {
        int32_t status = NAME(propose)(w, picture, (room){(char*)worker->scratch, 0}, NULL);
        if (status) return status;
    }
    return OPFORGE_OK;
}
