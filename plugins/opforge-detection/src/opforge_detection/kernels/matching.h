/* Greedy bipartite matching of one matrix: repeatedly match the best pair of a free row and a free column.
 * Included once per type. */
#include "ranking.h"

static void NAME(match)(const matching_work* w, int64_t matrix, arena r) {
    int64_t size = w->rows * w->columns, count = 0, matched = 0;
    const T* scores = (const T*)w->scores + matrix * size;
    T *of_row = (T*)w->of_rows + matrix * w->rows, *of_column = (T*)w->of_columns + matrix * w->columns;
    NAME(ranking) order = NAME(make_ranking)(&r, size);
    for (int64_t i = 0; i < size; i++) {
        int counts = w->is_ascend ? scores[i] < (T)w->threshold : scores[i] > (T)w->threshold;
        order.keys[count] = NAME(descending)(w->is_ascend ? -scores[i] : scores[i]);
        order.numbers[count] = (int32_t)i;
        count += counts;
    }
    NAME(sort)(&order, count);
    for (int64_t i = 0; i < w->rows; i++) of_row[i] = -1;
    for (int64_t i = 0; i < w->columns; i++) of_column[i] = -1;
    for (int64_t i = 0; i < count && matched <= w->topk; i++) {
        int64_t row = order.numbers[i] / w->columns, column = order.numbers[i] % w->columns;
        if (of_row[row] != -1 || of_column[column] != -1) continue;
        of_row[row] = (T)column;
        of_column[column] = (T)row;
        matched++;
    }
}

static int32_t NAME(match_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    for (int64_t matrix = begin; matrix < end; matrix++)
        NAME(match)((const matching_work*)argument, matrix, (arena){(char*)worker->scratch, 0});
    return OPFORGE_OK;
}
