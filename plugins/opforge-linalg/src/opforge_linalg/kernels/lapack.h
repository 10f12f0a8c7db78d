/* Factorizations by LAPACK, which reads matrices by columns and so gets their transposes. Included by types.h. */

typedef void (*N(syevd_routine))(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*,
                                 const int*, int*, size_t, size_t);
typedef void (*N(geqrf_routine))(const int*, const int*, T*, const int*, T*, T*, const int*, int*);
typedef void (*N(orgqr_routine))(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);

/* One call of LAPACK: the routine, its sizes and arrays. */
typedef struct N(lapack_call) {
    const job* j;
    T *a, *values, *work;
    int* integers;
    int rows, cols, work_size, integers_size, info;
} N(lapack_call);

static void N(call_syevd)(void* argument) {
    N(lapack_call)* c = (N(lapack_call)*)argument;
    /* The lower triangle by rows is the upper one by columns; eigenvectors by columns are rows. */
    ((N(syevd_routine))c->j->first_routine)("V", "U", &c->cols, c->a, &c->cols, c->values, c->work, &c->work_size,
                                            c->integers, &c->integers_size, &c->info, 1, 1);
}

static void N(call_geqrf)(void* argument) {
    N(lapack_call)* c = (N(lapack_call)*)argument;
    ((N(geqrf_routine))c->j->first_routine)(&c->cols, &c->rows, c->a, &c->cols, c->values, c->work, &c->work_size,
                                            &c->info);
}

static void N(call_orgqr)(void* argument) {
    N(lapack_call)* c = (N(lapack_call)*)argument;
    ((N(orgqr_routine))c->j->second_routine)(&c->cols, &c->rows, &c->rows, c->a, &c->cols, c->values, c->work,
                                             &c->work_size, &c->info);
}

static int64_t N(syevd_bytes)(int64_t n) {
    return (1 + 6 * n + 2 * n * n) * (int64_t)sizeof(T) + (3 + 5 * n) * (int64_t)sizeof(int);
}

/* Let the first element of largest magnitude be positive. */
static void N(orient)(T* row, int64_t n) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (FABS(row[i]) > FABS(row[best])) best = i;
    for (int64_t i = 0; i < n && row[best] < 0; i++)
        if (i != best) row[i] = -row[i];
    if (row[best] < 0) row[best] = -row[best];
}

static int32_t N(syevd_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    job* j = (job*)argument;
    int64_t n = j->n, size = n * n;
    for (int64_t i = begin; i < end; i++) {
        T* u = (T*)j->out + i * size;
        N(lapack_call) c = {.j = j, .a = u, .values = (T*)j->second + i * n, .work = (T*)worker->scratch, .cols = (int)n};
        c.work_size = (int)(1 + 6 * n + 2 * size);
        c.integers_size = (int)(3 + 5 * n);
        c.integers = (int*)(c.work + c.work_size);
        memcpy(u, (const T*)j->a + i * size, (size_t)size * sizeof(T));
        T differences = 0; /* NaN if an element of the lower triangle is NaN or infinite */
        for (int64_t row = 0; row < n; row++)
            for (int64_t col = 0; col <= row; col++) differences += u[row * n + col] - u[row * n + col];
        if (differences != 0) { /* LAPACK may not return */
            for (int64_t k = 0; k < size; k++) u[k] = (T)NAN;
            for (int64_t k = 0; k < n; k++) c.values[k] = (T)NAN;
            continue;
        }
        int32_t status = j->call->host->run_routines(j->call, N(call_syevd), &c);
        if (status) return status;
        if (c.info) return not_converged(j->call, i);
        for (int64_t row = 0; row < n; row++) N(orient)(u + row * n, n);
    }
    return OPFORGE_OK;
}

enum { N(PANEL) = 64 }; /* at least the columns that LAPACK factors together */

static int64_t N(gelqf_bytes)(int64_t n) { return n * (1 + N(PANEL)) * (int64_t)sizeof(T); }

/* LQ factors of n x m matrices, n <= m: the QR factors of their transposes. */
static int32_t N(gelqf_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    job* j = (job*)argument;
    int64_t n = j->n, m = j->m, size = n * m;
    for (int64_t i = begin; i < end; i++) {
        T *q = (T*)j->out + i * size, *l = (T*)j->second + i * n * n;
        N(lapack_call) c = {.j = j, .a = q, .values = (T*)worker->scratch, .rows = (int)n, .cols = (int)m};
        c.work = c.values + n;
        c.work_size = (int)(n * N(PANEL));
        memcpy(q, (const T*)j->a + i * size, (size_t)size * sizeof(T));
        int32_t status = j->call->host->run_routines(j->call, N(call_geqrf), &c);
        if (status) return status;
        for (int64_t row = 0; row < n; row++)
            for (int64_t col = 0; col < n; col++) l[row * n + col] = col <= row ? q[row * m + col] : 0;
        status = j->call->host->run_routines(j->call, N(call_orgqr), &c);
        if (status) return status;
    }
    return OPFORGE_OK;
}
