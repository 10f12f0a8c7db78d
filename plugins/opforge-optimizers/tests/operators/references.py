"""Float64 references: each maps weight, gradient and states to the new weight and states."""

import numpy as np


def rescaled(grad, rescale_grad=1.0, clip_gradient=-1.0):
    """Return the rescaled and clipped gradient."""
    grad = grad * rescale_grad
    return np.clip(grad, -clip_gradient, clip_gradient) if clip_gradient >= 0 else grad


def decayed(w, grad, wd, rescale_grad=1.0, clip_gradient=-1.0):
    """Return the gradient with weight decay, clipped afterwards."""
    return rescaled(grad * rescale_grad + wd * w, 1.0, clip_gradient)


def sgd(w, g, *, lr, wd=0.0, **scale):
    return (w - lr * (rescaled(g, **scale) + wd * w),)


def sgd_mom(w, g, mom, *, lr, momentum=0.0, wd=0.0, **scale):
    mom = momentum * mom - lr * (rescaled(g, **scale) + wd * w)
    return w + mom, mom


def nag_mom(w, g, mom, *, lr, momentum=0.0, wd=0.0, **scale):
    g = rescaled(g, **scale)
    step = lr * (g + wd * w)
    moved = w + momentum * (momentum * mom - step) - step
    return moved, momentum * mom - lr * (g + wd * moved)


def signsgd(w, g, *, lr, wd=0.0, rescale_grad=1.0, clip_gradient=-1.0):
    return ((1 - lr * wd) * w - lr * np.sign(g),)


def signum(w, g, mom, *, lr, momentum=0.0, wd=0.0, wd_lh=0.0, **scale):
    mom = momentum * mom - (1 - momentum) * (rescaled(g, **scale) + wd * w)
    return (1 - lr * wd_lh) * w + lr * np.sign(mom), mom


def adam(w, g, mean, var, *, lr, wd=0.0, beta1=0.9, beta2=0.999, epsilon=1e-8, **scale):
    g = decayed(w, g, wd, **scale)
    mean, var = beta1 * mean + (1 - beta1) * g, beta2 * var + (1 - beta2) * g * g
    return w - lr * mean / (np.sqrt(var) + epsilon), mean, var


def adamw(w, g, mean, var, *, lr, eta, wd=0.0, beta1=0.9, beta2=0.999, epsilon=1e-8, **scale):
    g = rescaled(g, **scale)
    mean, var = beta1 * mean + (1 - beta1) * g, beta2 * var + (1 - beta2) * g * g
    return w - eta * (lr * mean / (np.sqrt(var) + epsilon) + wd * w), mean, var


def ftml(
    w,
    g,
    d,
    v,
    z,
    *,
    lr,
    t,
    wd=0.0,
    beta1=0.6,
    beta2=0.999,
    epsilon=1e-8,
    clip_grad=-1.0,
    rescale_grad=1.0,
):
    g = decayed(w, g, wd, rescale_grad, clip_grad)
    v = beta2 * v + (1 - beta2) * g * g
    now = (1 - beta1**t) / lr * (np.sqrt(v / (1 - beta2**t)) + epsilon)
    z = beta1 * z + (1 - beta1) * g - (now - beta1 * d) * w
    return -z / now, now, v, z


def ftrl(w, g, z, n, *, lr, lamda1=0.01, beta=1.0, wd=0.0, **scale):
    g = rescaled(g, **scale)
    z = z + g - (np.sqrt(n + g * g) - np.sqrt(n)) * w / lr
    n = n + g * g
    moved = (np.sign(z) * lamda1 - z) / ((beta + np.sqrt(n)) / lr + wd)
    return np.where(np.abs(z) > lamda1, moved, 0.0), z, n


def rmsprop(w, g, n, *, lr, wd=0.0, gamma1=0.95, epsilon=1e-8, clip_weights=-1.0, **scale):
    g = decayed(w, g, wd, **scale)
    n = gamma1 * n + (1 - gamma1) * g * g
    return rescaled(w - lr * g / np.sqrt(n + epsilon), 1.0, clip_weights), n


def rmspropalex(
    w,
    g,
    n,
    mean,
    delta,
    *,
    lr,
    wd=0.0,
    gamma1=0.95,
    gamma2=0.9,
    epsilon=1e-8,
    clip_weights=-1.0,
    **scale,
):
    g = decayed(w, g, wd, **scale)
    n, mean = gamma1 * n + (1 - gamma1) * g * g, gamma1 * mean + (1 - gamma1) * g
    delta = gamma2 * delta - lr * g / np.sqrt(n - mean * mean + epsilon)
    return rescaled(w + delta, 1.0, clip_weights), n, mean, delta


def adagrad(w, g, history, *, lr, wd=0.0, epsilon=1e-7, **scale):
    g = rescaled(g, **scale)
    history = history + g * g
    return w - lr * (g / np.sqrt(history + epsilon) + wd * w), history


def lamb_direction(
    w, g, mean, var, *, t, wd, beta1=0.9, beta2=0.999, epsilon=1e-6, bias_correction=True, **scale
):
    g = rescaled(g, **scale)
    mean, var = beta1 * mean + (1 - beta1) * g, beta2 * var + (1 - beta2) * g * g
    scaled_mean, scaled_var = mean, var
    if bias_correction:
        scaled_mean, scaled_var = mean / (1 - beta1**t), var / (1 - beta2**t)
    return scaled_mean / (np.sqrt(scaled_var) + epsilon) + wd * w, mean, var


def lamb(w, g, mean, var, *, lr, lower_bound=-1.0, upper_bound=-1.0, **settings):
    step, mean, var = lamb_direction(w, g, mean, var, **settings)
    norm, step_norm = np.linalg.norm(w), np.linalg.norm(step)
    norm = max(norm, lower_bound) if lower_bound >= 0 else norm
    norm = min(norm, upper_bound) if upper_bound >= 0 else norm
    ratio = norm / step_norm if norm and step_norm else 1.0
    return w - lr * ratio * step, mean, var
