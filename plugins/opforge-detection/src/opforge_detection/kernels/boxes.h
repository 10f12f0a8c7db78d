/* Boxes: edges, areas and intersections, as MXNet computes them. Included once per type. */

/* Edges and area of a box. */
typedef struct NAME(box) {
    T left, top, right, bottom, area;
} NAME(box);

/* Read a box from an array. Inverted boxes have area 0. */
static inline NAME(box) NAME(read_box)(const T* x, int is_center) {
    T width = is_center ? x[2] : x[2] - x[0], height = is_center ? x[3] : x[3] - x[1];
    NAME(box) b = {x[0], x[1], x[2], x[3], width < 0 || height < 0 ? 0 : width * height};
    if (is_center) {
        T half_width = x[2] / 2, half_height = x[3] / 2;
        b = (NAME(box)){x[0] - half_width, x[1] - half_height, x[0] + half_width, x[1] + half_height, b.area};
    }
    return b;
}

/* Return the length of the intersection of two intervals, plus 1 if `more`, for inclusive pixel edges. If an edge
 * is NaN, that of the second interval is used. */
static inline T NAME(common)(T a_begin, T a_end, T b_begin, T b_end, int more) {
    T begin = a_begin > b_begin ? a_begin : b_begin, end = a_end < b_end ? a_end : b_end, length = end - begin;
    if (more) length += 1;
    return length > 0 ? length : 0;
}
