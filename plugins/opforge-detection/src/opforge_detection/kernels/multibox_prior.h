/* Anchors of MultiBoxPrior. Included once per type. */

/* Compute half of the width and height of a box: all sizes with the first ratio, then the other ratios with the
 * first size. */
static void NAME(half_sides)(const prior_work* w, int64_t number, T* half_width, T* half_height) {
    int is_first_ratio = number < w->n_sizes;
    T size = (T)w->sizes[is_first_ratio ? number : 0];
    T ratio = sqrt((T)w->ratios[is_first_ratio ? 0 : number - w->n_sizes + 1]);
    *half_width = size * (T)w->height / (T)w->width * ratio / 2;
    *half_height = size / ratio / 2;
}

/* Return the step between pixels, by default the inverse of the size of the map. */
static T NAME(step)(const prior_work* w, int axis) {
    if (w->steps[0] > 0 && w->steps[1] > 0) return (T)w->steps[axis];
    return (T)1 / (T)(axis == 0 ? w->height : w->width);
}

/* Units are rows of pixels. */
static int32_t NAME(rows_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const prior_work* w = (const prior_work*)argument;
    T step_y = NAME(step)(w, 0), step_x = NAME(step)(w, 1);
    (void)worker;
    for (int64_t number = 0; number < w->n_boxes; number++) {
        T half_width, half_height;
        NAME(half_sides)(w, number, &half_width, &half_height);
        for (int64_t pixel = begin * w->width; pixel < end * w->width; pixel++) {
            T y = ((T)(pixel / w->width) + (T)w->offsets[0]) * step_y;
            T x = ((T)(pixel % w->width) + (T)w->offsets[1]) * step_x;
            T* box = (T*)w->out + 4 * (pixel * w->n_boxes + number);
            box[0] = x - half_width;
            box[1] = y - half_height;
            box[2] = x + half_width;
            box[3] = y + half_height;
            for (int edge = 0; edge < 4 && w->clips; edge++)
                box[edge] = box[edge] < 0 ? 0 : box[edge] > 1 ? 1 : box[edge];
        }
    }
    return OPFORGE_OK;
}
