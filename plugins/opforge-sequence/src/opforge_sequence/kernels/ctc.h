/* The loss of connectionist temporal classification, one sequence at a time: the forward and backward
 * variables of Graves et al. (2006), as logarithms and in double. Included once for each type. */

/* The logarithm of the sum of the exponentials of one step's numbers. */
static double NAME(log_sum)(const T* x, int64_t classes) {
    T highest = x[0];
    double sum = 0;
    for (int64_t c = 1; c < classes; c++) highest = x[c] > highest ? x[c] : highest;
    for (int64_t c = 0; c < classes; c++) sum += (double)EXP(x[c] - highest);
    return (double)highest + log(sum);
}

/* log(exp(a) + exp(b)); NaN where either is NaN. What is added is at most log(2): the type's precision will do. */
static inline double NAME(log_add)(double a, double b) {
    double high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? high : high + (double)LOG(1 + EXP((T)(low - high)));
}

/* The logarithm of the probability of all alignments that end where they should. */
static double NAME(ended)(const states* s, const double* alpha) {
    return s->n > 1 ? NAME(log_add)(alpha[s->n - 1], alpha[s->n - 2]) : alpha[0];
}

/* alpha: the probability of all that leads to each state. From that of the step before `x`, which may be
 * the same memory, or from nothing. */
static void NAME(advance)(const states* s, const T* x, double log_sum, const double* before, double* alpha) {
    for (int64_t at = s->n - 1; at >= 0; at--) {
        double value = at < 2 ? 0 : -INFINITY;
        if (before != NULL) {
            value = before[at];
            if (at > 0) value = NAME(log_add)(value, before[at - 1]);
            if (may_skip(s, at)) value = NAME(log_add)(value, before[at - 2]);
        }
        alpha[at] = value + ((double)x[class_of(s, at)] - log_sum);
    }
}

/* beta: the probability of all that follows a state. From that of the step of `x`, which comes next. */
static void NAME(retreat)(const states* s, const T* x, double log_sum, double* beta) {
    for (int64_t at = 0; at < s->n; at++) beta[at] += (double)x[class_of(s, at)] - log_sum;
    for (int64_t at = 0; at < s->n; at++) {
        double value = beta[at];
        if (at + 1 < s->n) value = NAME(log_add)(value, beta[at + 1]);
        if (at + 2 < s->n && may_skip(s, at + 2)) value = NAME(log_add)(value, beta[at + 2]);
        beta[at] = value;
    }
}

/* Go through all steps, each row of `alphas` being `stride` behind the one before; the last row. */
static double* NAME(lead)(const alignment* a, const states* s, int64_t sequence, int64_t steps, double* log_sums,
                          double* alphas, int64_t stride) {
    const T* x = (const T*)a->data + sequence * a->classes;
    double* alpha = alphas;
    for (int64_t t = 0; t < steps; t++, x += a->batch * a->classes) {
        double log_sum = NAME(log_sum)(x, a->classes);
        alpha = alphas + t * stride;
        NAME(advance)(s, x, log_sum, t > 0 ? alpha - stride : NULL, alpha);
        if (log_sums != NULL) log_sums[t] = log_sum;
    }
    return alpha;
}

static int32_t NAME(loss_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const alignment* a = (const alignment*)argument;
    double* scratch = (double*)worker->scratch;
    for (int64_t sequence = begin; sequence < end; sequence++) {
        states s = states_of(a, sequence);
        int64_t steps = usable_steps(a, &s, sequence);
        double *kept = a->kept == NULL ? NULL : a->kept + sequence * a->room, *alpha = scratch;
        if (kept != NULL) kept[0] = a->keeps;
        if (a->keeps)
            alpha = NAME(lead)(a, &s, sequence, steps, kept + 1, kept + 1 + steps, s.n);
        else
            NAME(lead)(a, &s, sequence, steps, NULL, scratch, 0);
        ((T*)a->losses)[sequence] = (T)(0 - (steps > 0 ? NAME(ended)(&s, alpha) : 0));
    }
    return OPFORGE_OK;
}

/* The gradient at one step: what is expected of each class, less what alignments take of it. */
static void NAME(differ)(const states* s, const T* x, double log_sum, const double* alpha, const double* beta,
                         double total, T head, T* grad, int64_t classes) {
    for (int64_t c = 0; c < classes; c++) grad[c] = head * EXP(x[c] - (T)log_sum);
    for (int64_t at = 0; at < s->n && total != -INFINITY; at++)
        grad[class_of(s, at)] -= head * EXP((T)(alpha[at] + beta[at] - total));
}

static void NAME(sequence_grad)(const alignment* a, const states* s, int64_t sequence, int64_t steps, double* scratch) {
    double *beta = scratch, *log_sums = (a->keeps ? a->kept + sequence * a->room + 1 : beta + s->n);
    double* alphas = log_sums + steps;
    int64_t next = a->batch * a->classes;
    const T* data = (const T*)a->data + sequence * a->classes;
    T *grad = (T*)a->grad + sequence * a->classes, head = ((const T*)a->heads)[sequence];
    if (!a->keeps) NAME(lead)(a, s, sequence, steps, log_sums, alphas, s->n);
    double total = NAME(ended)(s, alphas + (steps - 1) * s->n);
    for (int64_t at = 0; at < s->n; at++) beta[at] = at >= s->n - 2 ? 0 : -INFINITY;
    for (int64_t t = steps - 1; t >= 0; t--) {
        if (t < steps - 1) NAME(retreat)(s, data + (t + 1) * next, log_sums[t + 1], beta);
        NAME(differ)(s, data + t * next, log_sums[t], alphas + t * s->n, beta, total, head, grad + t * next, a->classes);
    }
}

static int32_t NAME(grad_part)(void* argument, const opforge_worker* worker, int64_t begin, int64_t end) {
    const alignment* a = (const alignment*)argument;
    for (int64_t sequence = begin; sequence < end; sequence++) {
        states s = states_of(a, sequence);
        int64_t steps = usable_steps(a, &s, sequence);
        if (steps > 0) NAME(sequence_grad)(a, &s, sequence, steps, (double*)worker->scratch);
        for (int64_t t = steps; t < a->steps; t++)
            memset((T*)a->grad + (t * a->batch + sequence) * a->classes, 0, (size_t)a->classes * sizeof(T));
    }
    return OPFORGE_OK;
}
