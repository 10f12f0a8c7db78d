/* MultiBoxDetection of one picture. Included once for each type. */

/* What is decoded of each anchor: the class, counted without the background, the score and the box. */
enum { NAME(ROW) = 6 };

typedef struct NAME(detect_room) {
    T* scores;        /* of the best class of each anchor */
    int32_t* classes; /* -1: the background */
    T* rows; /* of the anchors that count */
    NAME(ranking) order;
    NAME(ranked) ranked;
    NAME(classes) by_class;
} NAME(detect_room);

static NAME(detect_room) NAME(lay_out)(const detect_work* w, room* r) {
    NAME(detect_room) made;
    made.scores = (T*)take(r, w->n * (int64_t)sizeof(T));
    made.classes = (int32_t*)take(r, w->n * (int64_t)sizeof(int32_t));
    made.rows = (T*)take(r, w->n * NAME(ROW) * (int64_t)sizeof(T));
    made.order = NAME(make_ranking)(r, w->n);
    made.ranked = NAME(make_ranked)(r, w->n, REACHING, w->nms_threshold);
    if (!w->force_suppress) made.by_class = NAME(make_classes)(r, w->n, REACHING, w->nms_threshold);
    return made;
}

/* Which class has the highest score, anchors side by side; the first one where several do. */
static void NAME(find_best)(const detect_work* w, const T* probabilities, T* restrict scores,
                            int32_t* restrict classes) {
    for (int64_t i = 0; i < w->n; i++) {
        scores[i] = -1;
        classes[i] = -1;
    }
    for (int64_t first = 0; first < w->n; first += AT_ONCE) {
        int64_t end = first + AT_ONCE < w->n ? first + AT_ONCE : w->n;
        for (int64_t c = 1; c < w->n_classes; c++) {
            const T* row = probabilities + c * w->n;
            for (int64_t i = first; i < end; i++) {
                int is_higher = row[i] > scores[i];
                scores[i] = is_higher ? row[i] : scores[i];
                classes[i] = is_higher ? (int32_t)(c - 1) : classes[i];
            }
        }
    }
}

/* std::min and std::max keep their first argument beside NaN. */
static inline T NAME(clipped)(T edge) {
    T low = edge < 1 ? edge : 1;
    return 0 < low ? low : 0;
}

/* The box that a prediction makes of an anchor. */
static void NAME(decode)(const detect_work* w, const T* anchor, const T* moves, T* box) {
    T width = anchor[2] - anchor[0], height = anchor[3] - anchor[1];
    T x = (anchor[0] + anchor[2]) / 2, y = (anchor[1] + anchor[3]) / 2;
    T to_x = moves[0] * (T)w->variances[0] * width + x, to_y = moves[1] * (T)w->variances[1] * height + y;
    T half_width = NAME(e_to)(moves[2] * (T)w->variances[2]) * width / 2;
    T half_height = NAME(e_to)(moves[3] * (T)w->variances[3]) * height / 2;
    T edges[4] = {to_x - half_width, to_y - half_height, to_x + half_width, to_y + half_height};
    for (int i = 0; i < 4; i++) box[i] = w->clip ? NAME(clipped)(edges[i]) : edges[i];
}

/* Rows of the anchors that are no background, in their order; how many there are. */
static int64_t NAME(decode_all)(const detect_work* w, int64_t picture, NAME(detect_room)* in) {
    const T *anchors = (const T*)w->anchors, *moves = (const T*)w->moves + picture * w->n * 4;
    int64_t count = 0;
    NAME(find_best)(w, (const T*)w->probabilities + picture * w->n_classes * w->n, in->scores, in->classes);
    for (int64_t i = 0; i < w->n; i++) {
        if (in->classes[i] < 0 || in->scores[i] < (T)w->threshold) continue;
        T* row = in->rows + count * NAME(ROW);
        row[0] = (T)in->classes[i];
        row[1] = in->scores[i];
        NAME(decode)(w, anchors + 4 * i, moves + 4 * i, row + 2);
        in->order.keys[count] = NAME(descending)(row[1]);
        in->order.numbers[count] = (int32_t)count;
        in->classes[count++] = in->classes[i];
    }
    return count;
}

/* Write the rows by score; the class of those that go becomes -1. What is behind `topk` stays where it was. */
static int32_t NAME(suppress_rows)(const detect_work* w, NAME(detect_room)* in, int64_t count, T* out,
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
        if (in->ranked.gone[i]) out[i * NAME(ROW)] = -1;
    return status;
}

static int32_t NAME(detect_picture)(const detect_work* w, int64_t picture, room r, opforge_call* call) {
    NAME(detect_room) in = NAME(lay_out)(w, &r);
    T* out = (T*)w->out + picture * w->n * NAME(ROW);
    int64_t count = NAME(decode_all)(w, picture, &in);
    memcpy(out, in.rows, (size_t)(count * NAME(ROW)) * sizeof(T));
    for (int64_t i = count * NAME(ROW); i < w->n * NAME(ROW); i++) out[i] = -1;
    if (w->nms_threshold <= 0 || w->nms_threshold > 1) return OPFORGE_OK;
    return NAME(suppress_rows)(w, &in, count, out, call);
}

static int32_t NAME(detect_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const detect_work* w = (const detect_work*)argument;
    for (int64_t picture = begin; picture < end; picture++) {
        int32_t status = NAME(detect_picture)(w, picture, (room){(char*)worker->scratch, 0}, NULL);
        if (status) return status;
    }
    return OPFORGE_OK;
}
