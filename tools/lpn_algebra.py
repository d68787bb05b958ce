"""Attacks on LPN that linearise or solve polynomial equations after guessing noise-free positions.

`lpn_estimate.py` explains the notation, the tags [P] and [C] and the limits.
"""
import numpy as np

from lpn_isd import INF, L2, OMEGA, WEIGHT, sigma_random, truncate

DMAX = 7            # highest degree tried by xl_staged


# ---------------------------------------------------------------- hybrid of guessing and linearisation

def hybrid_cost(n, k, h, b, u, q, f, cons):
    """Cost at u guesses per block (u+1 in f of them), q blocks enumerated; f is a vector."""
    with np.errstate(all="ignore"):
        pr = f * np.log2(1 - (u + 1) / b) + (h - q - f) * np.log2(1 - u / b)
        n0 = k - h - (u + 1) * f - (h - f - q) * u
        r0 = n - k - ((n - k) // (b - 1)) * (b - u - 2)
        if cons:        # punctured: only about k rows are ever eliminated
            G1 = np.full_like(pr, OMEGA * L2(max(k - h, 2)))
        else:
            G1 = np.log2(np.maximum(r0 * float(n - k) * (r0 + n0), 1.0))
        m0 = (h - f - q) * ((b - u - 2.0) * (b - u - 1.0) / 2) + f * ((b - u - 2.0) * (b - u - 3.0) / 2)
        w = (b - 1.0) * q
        v0 = n0 - w
        ok = (v0 >= 0) & (v0 <= np.sqrt(2 * m0) - 2)
        v = np.maximum(v0, 2.0)
        G2 = np.log2(np.maximum(v ** 4 * np.maximum(n0, 1.0) ** 2 / 8 / np.log2(np.maximum(v * v / 2, 2)), 1))
        if cons:
            G2 = np.minimum(G2, OMEGA * np.log2(np.maximum(v * v / 2, 1)))
        G3 = np.log2(np.maximum(1.25 * (2 * v * v * w + v * w * w)
                                + (2.5 * v) ** 3 / np.log2(np.maximum(2.5 * v, 2)), 1)) + q * L2(b)
        m = np.maximum(np.maximum(G1, G2), G3)
        tot = m + np.log2(2.0 ** (G1 - m) + 2.0 ** (G2 - m) + 2.0 ** (G3 - m)) - pr
        tot = np.where(n0 <= 0, G1 - pr, np.where(ok, tot, INF))
        bad = (n - h - f - (h - q) * u) <= 0
        return np.where(bad | ~np.isfinite(pr), INF, tot)


def hybrid(N, k, t, cons=False):
    """[P] Guess u or u+1 noise-free positions per block, enumerate q blocks, linearise the in-block products;
    a grid with refinement over (u, q, f). cons [C]: elimination at k^2.8 (punctured)."""
    n, k, b = truncate(N, k, t)
    best, best_u = INF, 0
    qmax = t - 1 if t <= 200 else min(40, t - 1)     # in tiny sets enumerating many blocks can pay
    umax = min(b - 3, int(k / max(t - qmax, 1) if t <= 200 else k / t) + 2)
    step = max(1, umax // 400)

    def at(u, fstep):
        nonlocal best, best_u
        f = np.arange(0, t, fstep, dtype=float)
        for q in range(qmax):
            ff = f[f < t - q]
            c = float(hybrid_cost(n, k, t, b, u, float(q), ff, cons).min())
            if c < best:
                best, best_u = c, u
    for u in range(0, umax + 1, step):
        at(u, max(1, t // 60))
    for u in range(max(0, best_u - 2 * step), min(umax, best_u + 2 * step) + 1):
        at(u, 1)
    return best


# ---------------------------------------------------------------- algebraic attacks

def series(b, t, f, mu, D=4):
    """Coefficients 0..D of (1 + (b-mu-1) z)^f (1 + (b-1) z)^(t-f)."""
    def power(x, m):
        c = [np.asarray(1.0)]
        for i in range(1, D + 1):
            c.append(c[-1] * x * (m - i + 1) / i)
        return c
    A, C = power(b - mu - 1.0, f), power(b - 1.0, t - f)
    return [sum(A[i] * C[q - i] for i in range(q + 1)) for q in range(D + 1)]


def residual(m, ser):
    """Sums over degree 1..d, d = 2.., of (1+z)^-m * ser. The attack's degree is the first d where it is < 1."""
    c = [1.0]
    for i in range(1, len(ser)):
        c.append(c[-1] * -(m + i - 1) / i)
    co = [sum(c[i] * ser[q - i] for i in range(q + 1)) for q in range(len(ser))]
    out, acc = [], co[1]
    for q in range(2, len(ser)):
        acc = acc + co[q]
        out.append(acc)
    return out


def agb_grid(N, k, t, f, mu):
    """(degree, columns at degree 2..4, residual dimension at degree 2..4) for a vector mu."""
    ser = series(N // t, t, f, mu)
    hs = residual(float(N - k - 1), ser)
    d = np.where(hs[0] < 1, 2, np.where(hs[1] < 1, 3, np.where(hs[2] < 1, 4, 30)))
    M2 = ser[1] + ser[2]
    return d, (M2, M2 + ser[3], M2 + ser[3] + ser[4]), [np.maximum(h, 1) for h in hs]


def agb(N, k, t):
    """[P] Briaud-Oygarden: fix mu zeros in f blocks, Macaulay matrix in the witness degree d <= 4 of
    (1+(beta-mu-1)z)^f (1+(beta-1)z)^(t-f) / (1+z)^(N-k-1), Wiedemann 3 (k+1-f mu) M^2, success (1-mu/beta)^f."""
    b, best = N // t, INF
    for f in range(0, t + 1):
        mu = np.arange(0, (min(b, int(k / f)) if f else 0) + 1, dtype=float)
        mu = mu[(f * mu < k + 1) & (mu < b)]
        if mu.size == 0:
            continue
        d, Ms, _ = agb_grid(N, k, t, float(f), mu)
        M = np.where(d == 2, Ms[0], np.where(d == 3, Ms[1], Ms[2]))
        c = 2 * np.log2(M) + np.log2(3 * (k + 1 - f * mu)) - f * np.log2(1 - mu / b)
        best = min(best, float(np.where(d > 4, INF, c).min()))
    return best


def agb2(N, k, t):
    """[P, after the script only] AGB 2.0, guessing in two stages: eliminate once after (f', mu'), finish every
    completion to (f, mu) on the residual system of dimension H.
        C1(f',mu') / (1-mu'/b)^f' + C2 / (1-mu/b)^f,   C1 = min(5.64 M^2.8, M r^2 / log2 r),
        C2 = 5.64 min(H, r)^2.8,   r = M - H.  The grid is coarser than the script's."""
    b, best = N // t, INF
    fs = {int(round(x)) for x in np.concatenate([np.geomspace(1, t, 48), np.linspace(1, t, 48)])}
    fs = sorted(x for x in fs if 1 <= x <= t)
    for d in (2, 3, 4):
        for f in fs:
            mu = np.arange(1, min(b - 1, k // f) + 1, dtype=float)
            if mu.size == 0:
                continue
            ok = np.nonzero(agb_grid(N, k, t, float(f), mu)[0] <= d)[0]
            if ok.size == 0:
                continue
            mf = mu[ok[0]]                      # the cheapest completion of this shape
            guess = -f * L2(1 - mf / b)
            if guess <= best:
                for f1 in [0] + [x for x in fs if x <= f]:
                    m1 = np.arange(0, mf + 1, dtype=float) if f1 else np.array([0.0])
                    best = min(best, agb2_stages(N, k, t, d, f1, m1, guess))
    return best


def agb2_stages(N, k, t, d, f1, m1, guess):
    """The best first stage (f1, m1) for a completed guess of that many bits."""
    _, Ms, Hs = agb_grid(N, k, t, float(f1), m1)
    M, H = Ms[d - 2], Hs[d - 2]
    with np.errstate(all="ignore"):
        r = np.maximum(M - H, 1.0)
        sparse = np.log2(M) + 2 * np.log2(r) - np.log2(np.maximum(np.log2(r), 1e-9))
        C1 = np.minimum(L2(5.64) + OMEGA * np.log2(M), sparse)
        C2 = L2(5.64) + OMEGA * np.log2(np.minimum(H, r))
        a = np.maximum(C1, 0) - f1 * np.log2(1 - m1 / (N // t))
        c = np.logaddexp2(a, np.maximum(C2, 0) + guess)
    return float(np.nanmin(c))


def xl_staged(N, k, t, grid=700):
    """[C] Two published ideas together: eliminate the linear equations first, so that the matrix has only
    V = sum_{i<=d} C(n, i) columns with n = k-t-G unknowns, and guess G = t mu positions in any number of stages,
    each on the residual space H(G).  sum_i H(G_i)^2.8 / p(G_{i+1}), p(G) = (1-mu/b)^t, until H <= 1. A floor under
    these ideas: no constant, matrices of 2^24 to 2^53 columns."""
    N, k, b = truncate(N, k, t)
    mumax = min(b - 1.5, (k - t - 2) / t)
    if mumax <= 0:
        return 0.0
    mu = np.linspace(0, mumax, grid)
    n = k - t - t * mu
    guess = -t * np.log2(1 - mu / b)
    hs = residual(float(N - k - 1), series(b, t, float(t), mu, DMAX))
    linear = OMEGA * np.log2(np.maximum(n, 2.0))    # the linear substitutions themselves
    done, best, V, term = np.zeros(grid, bool), INF, n.copy(), n.copy()
    for d in range(2, DMAX + 1):
        done |= hs[d - 2] < 1                       # solved in degree <= d
        term = term * np.maximum(n - d + 1, 0) / d
        V = V + term
        lV = np.log2(np.maximum(V, 2.0))
        if not done.any():
            continue
        lH = np.where(done, 0.0, np.minimum(np.log2(np.maximum(hs[d - 2], 1.0)), lV))
        cur = np.maximum(OMEGA * lV, OMEGA * L2(k - t)) + guess
        step = np.maximum(OMEGA * lH, linear)[:, None] + guess[None, :]
        step[np.tril_indices(grid)] = INF           # stages only add guesses
        for _ in range(12):                         # shortest path over the stages
            nxt = np.minimum(cur, np.logaddexp2(cur[:, None], step).min(axis=0))
            if np.all(nxt >= cur - 1e-6):
                break
            cur = nxt
        best = min(best, float(cur[done].min()))
    return best


def local_xl(N, k, t):
    """[C] Linearisation at degree 2 inside a set of sigma k columns: a block keeps beta sigma^10 rows, whose
    pairwise products still vanish; mu noise-free guesses per block. One stage, (unknowns^2/2)^2.8."""
    b, best = N / t, INF
    for sg in np.linspace(max(0.4, sigma_random(N, k)), 1.0, 60):
        bs = b * sg ** WEIGHT
        mu = np.linspace(0, min(bs - 1.0, sg * k / t) if bs > 1 else 0, 400)
        n = sg * k - t * mu
        V = np.maximum(n, 0) * (n + 1) / 2
        m = t * (bs - mu) * (bs - mu - 1) / 2
        with np.errstate(all="ignore"):
            c = np.maximum(OMEGA * np.log2(np.maximum(V, 1)), OMEGA * L2(sg * k)) - t * np.log2(1 - mu / b)
        best = min(best, float(np.where(V <= m, c, INF).min()))
    return best
