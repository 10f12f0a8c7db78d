/* Connectionist temporal classification loss, one sequence at a time: the forward and backward variables
 * of Graves et al. (2006) as logarithms in double precision. Included once per type. */

/* Return the logarithm of the sum of the exponentials of one step's scores. */
static double NAME(log_sum)(const T* x, int64_t classes) {
    T highest = x[0];
    double sum = 0;
    for (int64_t c = 1; c < classes; c++) highest = x[c] > highest ? x[c] : highest;
    for (int64_t c = 0; c < classes; c++) sum += (double)exp(x[c] - highest);
    return (double)highest + log(sum);
}

/* Return log(exp(a) + exp(b)), NaN if either is NaN. The correction is at most log(2), so precision T suffices. */
static inline double NAME(log_add)(double a, double b) {
    double high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? high : high + (double)log(1 + exp((T)(low - high)));
}

/* Return the log probability of all alignments that end in a final state. */
static double NAME(total_log_probability)(const states* s, const double* alpha) {
    return s->n > 1 ? NAME(log_add)(alpha[s->n - 1], alpha[s->n - 2]) : alpha[0];
}

/* Compute alpha, the log probability of all paths to each state at the step of scores `x`, from that of the previous
 * step, which may be the same memory, or NULL at the first step. */
static void NAME(advance_alpha)(const states* s, const T* x, double log_sum, const double* before, double* alpha) {
    for (int64_t i = s->n - 1; i >= 0; i--) {
        double value = i < 2 ? 0 : -INFINITY;
        if (before != NULL) {
            value = before[i];
            if (i > 0) value = NAME(log_add)(value, before[i - 1]);
            if (may_skip(s, i)) value = NAME(log_add)(value, before[i - 2]);
        }
        alpha[i] = value + ((double)x[class_of(s, i)] - log_sum);
    }
}

/* Update beta, the log probability of all paths from each state, from the step of scores `x` to the step before. */
static void NAME(retreat_beta)(const states* s, const T* x, double log_sum, double* beta) {
    for (int64_t i = 0; i < s->n; i++) beta[i] += (double)x[class_of(s, i)] - log_sum;
    for (int64_t i = 0; i < s->n; i++) {
        double value = beta[i];
        if (i + 1 < s->n) value = NAME(log_add)(value, beta[i + 1]);
        if (i + 2 < s->n && may_skip(s, i + 2)) value = NAME(log_add)(value, beta[i + 2]);
        beta[i] = value;
    }
}

/* Run the forward recursion over all steps, with rows of `alphas` `stride` apart; return the last row. */
static double* NAME(forward_variables)(const alignment* a, const states* s, int64_t sequence, int64_t steps,
                                       double* log_sums, double* alphas, int64_t stride) {
    const T* x = (const T*)a->data + sequence * a->classes;
    double* alpha = alphas;
    for (int64_t t = 0; t < steps; t++, x += a->batch * a->classes) {
        double log_sum = NAME(log_sum)(x, a->classes);
        alpha = alphas + t * stride;
        NAME(advance_alpha)(s, x, log_sum, t > 0 ? alpha - stride : NULL, alpha);
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
        double *kept = a->kept == NULL ? NULL : a->kept + sequence * a->kept_stride, *alpha = scratch;
        if (kept != NULL) kept[0] = a->keeps;
        if (a->keeps)
            alpha = NAME(forward_variables)(a, &s, sequence, steps, kept + 1, kept + 1 + steps, s.n);
        else
            NAME(forward_variables)(a, &s, sequence, steps, NULL, scratch, 0);
        ((T*)a->losses)[sequence] = (T)(0 - (steps > 0 ? NAME(total_log_probability)(&s, alpha) : 0));
    }
    return OPFORGE_OK;
}

/* Compute the gradient at one step: softmax minus the posterior of each class under all alignments. */
static void NAME(step_gradient)(const states* s, const T* x, double log_sum, const double* alpha, const double* beta,
                                double total, T head, T* grad, int64_t classes) {
    for (int64_t c = 0; c < classes; c++) grad[c] = head * exp(x[c] - (T)log_sum);
    for (int64_t i = 0; i < s->n && total != -INFINITY; i++)
        grad[class_of(s, i)] -= head * exp((T)(alpha[i] + beta[i] - total));
}

static void NAME(sequence_grad)(const alignment* a, const states* s, int64_t sequence, int64_t steps, double* scratch) {
    double *beta = scratch, *log_sums = (a->keeps ? a->kept + sequence * a->kept_stride + 1 : beta + s->n);
    double* alphas = log_sums + steps;
    int64_t next = a->batch * a->classes;
    const T* data = (const T*)a->data + sequence * a->classes;
    T *grad = (T*)a->grad + sequence * a->classes, head = ((const T*)a->heads)[sequence];
    if (!a->keeps) NAME(forward_variables)(a, s, sequence, steps, log_sums, alphas, s->n);
    double total = NAME(total_log_probability)(s, alphas + (steps - 1) * s->n);
    for (int64_t i = 0; i < s->n; i++) beta[i] = i >= s->n - 2 ? 0 : -INFINITY;
    for (int64_t t = steps - 1; t >= 0; t--) {
        if (t < steps - 1) NAME(retreat_beta)(s, data + (t + 1) * next, log_sums[t + 1], beta);
        NAME(step_gradient)(s, data + t * next, log_sums[t], alphas + t * s->n, beta, total, head, grad + t * next,
                            a->classes);
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
