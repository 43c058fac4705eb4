"""Adam, for the experiments that train with JAX: one step, on any tree of parameters."""

import jax
import numpy as np
from jax import numpy as jnp


def adam_step(t, state, slope, rate, late=0.999):
    """The state (parameters and both moments) after step t, which begins with 0.

    late is how much of the second moment is kept. Source: Kingma and Ba 2015.
    """
    theta, m, v = state
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, slope)
    v = jax.tree.map(lambda v, g: late * v + (1 - late) * g**2, v, slope)
    now, far = rate / (1 - 0.9 ** (t + 1.0)), 1 - late ** (t + 1.0)
    after = jax.tree.map(lambda w, m, v: (w - now * m / (jnp.sqrt(v / far) + 1e-8)).astype(w.dtype), theta, m, v)
    return after, m, v


def at_rest(theta):
    """The state before the first step."""
    rest = jax.tree.map(lambda w: np.zeros(w.shape, w.dtype), theta)  # JAX would compile its zeros
    return theta, rest, rest


def falling(rate, t, n_steps):
    """The rate at step t, which falls to zero along half a cosine."""
    return rate * (1 + jnp.cos(jnp.pi * jnp.minimum(t / n_steps, 1))) / 2


def minimize(loss, theta, n_steps, rate):
    """Parameters after n_steps on loss(theta, t), whose rate falls, and the losses on the way."""

    def step(state, t):
        value, slope = jax.value_and_grad(loss)(state[0], t)
        return adam_step(t, state, slope, falling(rate, t, n_steps), late=0.99), value

    (theta, _, _), values = jax.lax.scan(step, at_rest(theta), jnp.arange(n_steps))
    return theta, values
