"""Attacks on LPN over F_2^64 whose matrix has random coefficients, for VOLE (docs/spec/join-spec.md, section 1).

Same notation as `lpn_estimate.py`. A noise value is a uniform word, so that nobody knows it: what uses that errors are ones
(block parities, lists of sums) is gone, and what guesses which samples have no error is left. Costs are log2 of operations
in the field, each of which is more than a bit operation. All are our own accounting [C]; toy runs of the first three, and
of the splitting attack on a matrix of ones, are in `tools/models/join`.

Not costed: AGB 2.0 and staging to more degrees over F_q (over F_2, with more equations, 178 at least); quantum attacks.
"""
import math

from lpn_isd import INF, OMEGA, WEIGHT, L2, gauss, ladd, lbin, sigma_random

BITS = 64           # of a word


def enumerate_values(N, k, t, kk):
    """[C, checked on toy sizes] Among kk samples on as many columns, p have an error. Modulo the residual, the columns of two
    of them are proportional: one lookup finds two errors, values and all, so that p cost kk^(p-1)."""
    lk = L2(kk)
    found = [max(OMEGA * lk, (p - 1) * lk) - ladd(*[lbin(kk, i) + lbin(N - kk, t - i) - lbin(N, t) for i in range(p + 1)])
             for p in range(9)]
    return min(found)


def products(N, k, t):
    """[C] Zeros are guessed, mu in each of f blocks; in every block the products of two samples vanish, and are linearised."""
    b, best = N // t, INF
    for f in range(t // 20, t + 1, max(1, t // 200)):
        step = b / 512
        for i in range(int((b * .9 - 1) / step)):
            mu = 1 + i * step
            kk = k - f * mu
            if kk < 2:
                break
            if (t - f) * b * b / 2 + f * (b - mu) ** 2 / 2 >= kk * kk / 2 + kk:
                best = min(best, OMEGA * L2(max(2, kk * kk / 2)) - f * L2(1 - mu / b))
                break
    return best


def algebraic(N, k, t):
    """[P, over a large field] Briaud-Oygarden with guessed zeros, mu in each of f blocks, degrees 2 and 3; Hilbert series
    (1 + (b - mu) z/(1-z))^f (1 + b z/(1-z))^(t-f) (1-z)^(N-k)."""
    b, best, r = N // t, INF, N - k
    syzygies = [1, -r, r * (r - 1) / 2, -r * (r - 1) * (r - 2) / 6]

    def power(x, m):        # of 1 + x z / (1-z), up to z^3
        return [1, m * x, m * x + m * (m - 1) / 2 * x * x,
                m * x + m * (m - 1) * x * x + m * (m - 1) * (m - 2) / 6 * x ** 3]

    for f in range(0, t + 1, 8):
        for mu in range(0, min(b - 1, k // f if f else 0) + 1, max(1, b // 128)):
            guessed, rest = power(b - mu, f), power(b, t - f)
            monomials = [sum(guessed[i] * rest[q - i] for i in range(q + 1)) for q in range(4)]
            left = [sum(syzygies[i] * monomials[q - i] for i in range(q + 1)) for q in range(4)]
            degree = next((q for q in (2, 3) if left[q] <= 0), None)
            if degree:
                cost = 2 * L2(sum(monomials[1:degree + 1])) + L2(3 * (k + 1)) - f * L2(1 - mu / b)
                best = min(best, cost)
    return best


def splitting(N, k, t, coefficients, sparse=True):
    """[C, checked on toy sizes] A word is `BITS` samples over F_2 with the same places of errors. With r coefficients a row that
    are independent over F_2 the matrix over F_2 has r k columns; if fewer than BITS of as many samples have an error, a
    combination of the bits has none. r = 1: a matrix of ones, or one coefficient a row or a column."""
    part = sigma_random(N, k) if sparse else 1.0
    columns = coefficients * part * k
    mu = columns * t / N
    logs = [x * math.log(mu) - mu - math.lgamma(x + 1) for x in range(BITS)]
    return OMEGA * L2(columns) - ladd(*(x / math.log(2) for x in logs))


def estimate_field(N, k, t):
    """Every attack on the matrix with coefficients: {name: cost in bits}."""
    return {
        "field_gauss": gauss(N, k, t),
        "field_enum": enumerate_values(N, k, t, k),
        "field_local10_enum": enumerate_values(N, k, t, sigma_random(N, k) * k),
        "field_products": products(N, k, t),
        "field_algebraic": algebraic(N, k, t),
        "field_split": min(splitting(N, k, t, WEIGHT), splitting(N, k, t, WEIGHT, sparse=False)),
    }


def sees_ones(N, k, t):
    """Whether the estimator would refuse a matrix of ones: the splitting attack on it is below any floor."""
    return splitting(N, k, t, 1) < 70
