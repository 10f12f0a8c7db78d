/* Optimizer steps. Each rule reads every operand once and writes every result once.
 *
 * Results may overwrite operands (`out` is usually `w`), because an element depends only on elements with the same
 * index; the ivdep pragmas state that. */
#ifndef OPFORGE_UPDATE_H
#define OPFORGE_UPDATE_H

#include <Python.h>
#include <math.h>

/* Settings of a step. A rule ignores the coefficients that it does not use. */
typedef struct {
    double lr, wd;
    double rescale; /* factor applied to the gradient */
    double clip;    /* bound of the rescaled gradient; negative: none */
    double a, b;    /* momentum, or decay rates of the first and second state */
    double c, d;    /* coefficients that depend on the number of updates of the weight */
    double epsilon;
    double limit; /* bound of the weights; 0: none */
} opforge_update_settings;

typedef void (*opforge_update_fn)(const opforge_update_settings *u, const void *w, const void *g,
                                  void *out, void *s0, void *s1, void *s2, Py_ssize_t n);

/* Update rules; opforge_update_fill maps them to functions. */
enum {
    OPFORGE_SGD,
    OPFORGE_SGD_MOMENTUM,
    OPFORGE_NAG,
    OPFORGE_ADAM,
    OPFORGE_RMSPROP,
    OPFORGE_RMSPROP_CENTERED,
    OPFORGE_ADAGRAD,
    OPFORGE_ADADELTA,
    OPFORGE_ADAMW,
    OPFORGE_ADAMAX,
    OPFORGE_NADAM,
    OPFORGE_LAMB_DIRECTION,
    OPFORGE_FTRL,
    OPFORGE_FTML,
    OPFORGE_SIGNSGD,
    OPFORGE_SIGNUM,
    OPFORGE_UPDATE_RULES
};

typedef struct {
    opforge_update_fn rule[OPFORGE_UPDATE_RULES][2]; /* [0] is float32, [1] float64 */
} opforge_update_table;

/* Clip to [-limit, limit]. NaN is kept, because both comparisons are false. */
#define OF_WITHIN(x, limit) ((x) < -(limit) ? -(limit) : ((x) > (limit) ? (limit) : (x)))
/* Add weight decay. The condition keeps an infinite weight without decay from giving 0 * inf. */
#define OF_DECAY(x) (wd != 0 ? (x) + wd * w : (x))

/* Sign of x; 0 for NaN. */
#define OF_SIGN(x) ((x) > 0 ? 1 : ((x) < 0 ? -1 : 0))

/* Define the function of a rule. The last argument computes an element from w, g and the states p[i], q[i], r[i]. */
#define OF_UPDATE(name, T, ROOT, ...)                                                              \
    static void name(const opforge_update_settings *u, const void *vw, const void *vg, void *vout, \
                     void *vp, void *vq, void *vr, Py_ssize_t n) {                                 \
        const T *weights = (const T *)vw, *gradients = (const T *)vg;                              \
        T *out = (T *)vout, *p = (T *)vp, *q = (T *)vq, *r = (T *)vr;                              \
        const T lr = (T)u->lr, wd = (T)u->wd, rescale = (T)u->rescale, epsilon = (T)u->epsilon;    \
        const T clip = u->clip >= 0 ? (T)u->clip : (T)INFINITY;                                    \
        const T limit = u->limit > 0 ? (T)u->limit : (T)INFINITY;                                  \
        const T a = (T)u->a, b = (T)u->b, a1 = (T)(1 - u->a), b1 = (T)(1 - u->b);                  \
        const T c = (T)u->c, d = (T)u->d;                                                          \
        (void)p, (void)q, (void)r, (void)lr, (void)wd, (void)epsilon, (void)limit;                 \
        (void)a, (void)b, (void)a1, (void)b1, (void)c, (void)d, (void)clip;                                                   \
        _Pragma("GCC ivdep") for (Py_ssize_t i = 0; i < n; i++) {                                  \
            const T w = weights[i];                                                                \
            T g = gradients[i] * rescale;                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

#define OF_UPDATE_RULES(T, ROOT, suffix)                                                           \
    OF_UPDATE(of_sgd_##suffix, T, ROOT, {                                                          \
        g = OF_WITHIN(g, clip);                                                                    \
        out[i] = w - lr * OF_DECAY(g);                                                             \
    })                                                                                             \
    OF_UPDATE(of_sgd_momentum_##suffix, T, ROOT, {                                                 \
        g = OF_WITHIN(g, clip);                                                                    \
        const T m = a * p[i] - lr * OF_DECAY(g);                                                   \
        p[i] = m;                                                                                  \
        out[i] = w + m;                                                                            \
    })                                                                                             \
    OF_UPDATE(of_nag_##suffix, T, ROOT, {                                                          \
        g = OF_WITHIN(g, clip);                                                                    \
        const T step = lr * OF_DECAY(g), before = a * p[i];                                        \
        const T moved = w + a * (before - step) - step;                                            \
        /* As in MXNet, the momentum decays by the new weight. */                                  \
        p[i] = before - lr * (wd != 0 ? g + wd * moved : g);                                       \
        out[i] = moved;                                                                            \
    })                                                                                             \
    OF_UPDATE(of_adam_##suffix, T, ROOT, {                                                         \
        g = OF_DECAY(g);                                                                           \
        g = OF_WITHIN(g, clip);                                                                    \
        const T mean = a * p[i] + a1 * g, var = b * q[i] + b1 * (g * g);                           \
        p[i] = mean;                                                                               \
        q[i] = var;                                                                                \
        out[i] = w - lr * mean / (ROOT(var) + epsilon);                                            \
    })                                                                                             \
    OF_UPDATE(of_rmsprop_##suffix, T, ROOT, {                                                      \
        g = OF_DECAY(g);                                                                           \
        g = OF_WITHIN(g, clip);                                                                    \
        const T square = a * p[i] + a1 * (g * g), moved = w - lr * g / ROOT(square + epsilon);     \
        p[i] = square;                                                                             \
        out[i] = OF_WITHIN(moved, limit);                                                          \
    })                                                                                             \
    OF_UPDATE(of_rmsprop_centered_##suffix, T, ROOT, {                                             \
        g = OF_DECAY(g);                                                                           \
        g = OF_WITHIN(g, clip);                                                                    \
        const T square = a * p[i] + a1 * (g * g), mean = a * q[i] + a1 * g;                        \
        const T delta = b * r[i] - lr * g / ROOT(square - mean * mean + epsilon);                  \
        const T moved = w + delta;                                                                 \
        p[i] = square;                                                                             \
        q[i] = mean;                                                                               \
        r[i] = delta;                                                                              \
        out[i] = OF_WITHIN(moved, limit);                                                          \
    })                                                                                             \
    OF_UPDATE(of_adagrad_##suffix, T, ROOT, {                                                      \
        g = OF_WITHIN(g, clip);                                                                    \
        const T history = p[i] + g * g, scaled = g / ROOT(history + epsilon);                      \
        p[i] = history;                                                                            \
        out[i] = w - lr * OF_DECAY(scaled);                                                        \
    })                                                                                             \
    OF_UPDATE(of_adadelta_##suffix, T, ROOT, {                                                     \
        g = OF_WITHIN(g, clip);                                                                    \
        const T square = a * p[i] + a1 * (g * g);                                                  \
        const T step = ROOT(q[i] + epsilon) / ROOT(square + epsilon) * g;                          \
        p[i] = square;                                                                             \
        q[i] = a * q[i] + a1 * (step * step);                                                      \
        out[i] = w - OF_DECAY(step);                                                               \
    })                                                                                             \
    OF_UPDATE(of_adamw_##suffix, T, ROOT, {                                                        \
        g = OF_WITHIN(g, clip);                                                                    \
        const T mean = a * p[i] + a1 * g, var = b * q[i] + b1 * (g * g);                           \
        p[i] = mean;                                                                               \
        q[i] = var;                                                                                \
        out[i] = (w - wd * w) - lr * mean / (ROOT(var) + epsilon);                                 \
    })                                                                                             \
    OF_UPDATE(of_adamax_##suffix, T, ROOT, {                                                       \
        g = OF_DECAY(g);                                                                           \
        g = OF_WITHIN(g, clip);                                                                    \
        const T size = g < 0 ? -g : g, mean = a * p[i] + a1 * g, before = b * q[i];                \
        const T largest = before > size ? before : size;                                           \
        p[i] = mean;                                                                               \
        q[i] = largest;                                                                            \
        out[i] = largest == 0 ? w : w - lr * mean / largest;                                       \
    })                                                                                             \
    OF_UPDATE(of_nadam_##suffix, T, ROOT, {                                                        \
        g = OF_DECAY(g);                                                                           \
        g = OF_WITHIN(g, clip);                                                                    \
        const T mean = a * p[i] + a1 * g, var = b * q[i] + b1 * (g * g);                           \
        p[i] = mean;                                                                               \
        q[i] = var;                                                                                \
        /* lr and c contain the momentum schedule. */                                              \
        out[i] = w - (lr * g + c * mean) / (d * ROOT(var) + epsilon);                              \
    })                                                                                             \
    /* The direction of the step; its length depends on norms. */                                  \
    OF_UPDATE(of_lamb_direction_##suffix, T, ROOT, {                                               \
        g = OF_WITHIN(g, clip);                                                                    \
        const T mean = a * p[i] + a1 * g, var = b * q[i] + b1 * (g * g);                           \
        p[i] = mean;                                                                               \
        q[i] = var;                                                                                \
        const T scaled = c * mean / (ROOT(d * var) + epsilon);                                     \
        out[i] = OF_DECAY(scaled);                                                                 \
    })                                                                                             \
    /* epsilon is the L1 penalty. */                                                               \
    OF_UPDATE(of_ftrl_##suffix, T, ROOT, {                                                         \
        g = OF_WITHIN(g, clip);                                                                    \
        const T square = q[i] + g * g, root = ROOT(square);                                        \
        const T z = p[i] + (g - (root - ROOT(q[i])) * w / lr), size = z < 0 ? -z : z;              \
        p[i] = z;                                                                                  \
        q[i] = square;                                                                             \
        const T shrunk = (z < 0 ? -epsilon : epsilon) - z;                                         \
        out[i] = size > epsilon ? shrunk / ((a + root) / lr + wd) : (z == z ? 0 : z);              \
    })                                                                                             \
    OF_UPDATE(of_ftml_##suffix, T, ROOT, {                                                         \
        g = OF_DECAY(g);                                                                           \
        g = OF_WITHIN(g, clip);                                                                    \
        const T var = b * q[i] + b1 * (g * g), rate = c * (ROOT(d * var) + epsilon);               \
        const T z = a * r[i] + a1 * g - (rate - a * p[i]) * w;                                     \
        p[i] = rate;                                                                               \
        q[i] = var;                                                                                \
        r[i] = z;                                                                                  \
        out[i] = -z / rate;                                                                        \
    })                                                                                             \
    OF_UPDATE(of_signsgd_##suffix, T, ROOT, { out[i] = (1 - lr * wd) * w - lr * OF_SIGN(g); })     \
    OF_UPDATE(of_signum_##suffix, T, ROOT, {                                                       \
        g = OF_WITHIN(g, clip);                                                                    \
        const T m = a * p[i] - a1 * OF_DECAY(g);                                                   \
        p[i] = m;                                                                                  \
        /* b is the decay of the weight itself. */                                                 \
        out[i] = (1 - lr * b) * w + lr * OF_SIGN(m);                                               \
    })

OF_UPDATE_RULES(float, __builtin_sqrtf, f32)
OF_UPDATE_RULES(double, __builtin_sqrt, f64)

static inline void opforge_update_fill(opforge_update_table *table) {
#define OF_UPDATE_ENTRY(rule_code, name) \
    table->rule[rule_code][0] = of_##name##_f32, table->rule[rule_code][1] = of_##name##_f64
    OF_UPDATE_ENTRY(OPFORGE_SGD, sgd);
    OF_UPDATE_ENTRY(OPFORGE_SGD_MOMENTUM, sgd_momentum);
    OF_UPDATE_ENTRY(OPFORGE_NAG, nag);
    OF_UPDATE_ENTRY(OPFORGE_ADAM, adam);
    OF_UPDATE_ENTRY(OPFORGE_RMSPROP, rmsprop);
    OF_UPDATE_ENTRY(OPFORGE_RMSPROP_CENTERED, rmsprop_centered);
    OF_UPDATE_ENTRY(OPFORGE_ADAGRAD, adagrad);
    OF_UPDATE_ENTRY(OPFORGE_ADADELTA, adadelta);
    OF_UPDATE_ENTRY(OPFORGE_ADAMW, adamw);
    OF_UPDATE_ENTRY(OPFORGE_ADAMAX, adamax);
    OF_UPDATE_ENTRY(OPFORGE_NADAM, nadam);
    OF_UPDATE_ENTRY(OPFORGE_LAMB_DIRECTION, lamb_direction);
    OF_UPDATE_ENTRY(OPFORGE_FTRL, ftrl);
    OF_UPDATE_ENTRY(OPFORGE_FTML, ftml);
    OF_UPDATE_ENTRY(OPFORGE_SIGNSGD, signsgd);
    OF_UPDATE_ENTRY(OPFORGE_SIGNUM, signum);
#undef OF_UPDATE_ENTRY
}

#endif
