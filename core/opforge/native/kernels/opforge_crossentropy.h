/* Table of the softmax cross-entropy kernels of one instruction set; [0] is float32, [1] float64.
 *
 * Each row has n > 0 adjacent elements and a class label in [0, n). `saved` has two values for each row: its largest
 * element and the reciprocal of the sum of exponentials. */
#ifndef OPFORGE_CROSSENTROPY_H
#define OPFORGE_CROSSENTROPY_H

#include <Python.h>

/* loss = weight * -log(softmax(x)[label]) */
typedef void (*opforge_loss_fn)(const void* x, const long long* label, void* loss, void* saved,
                                Py_ssize_t rows, Py_ssize_t n, double weight);
/* dx = weight * dloss * (softmax(x) - onehot(label)); dx may be identical to x */
typedef void (*opforge_loss_grad_fn)(const void* dloss, const void* x, const long long* label,
                                     const void* saved, void* dx, Py_ssize_t rows, Py_ssize_t n,
                                     double weight);

typedef struct {
    opforge_loss_fn loss[2];
    opforge_loss_grad_fn grad[2];
} opforge_crossentropy_table;

#endif
