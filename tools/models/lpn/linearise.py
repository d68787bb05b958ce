"""Toy check of the Hilbert-series residual dimension used by agb/xl_staged at degree 2:
build all in-block products e_i e_j (as quadratics in the k-t free variables, dense or 10-sparse A)
and compare V - rank with the predicted H."""
import random, itertools, sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parents[2]))      # tools/, where the estimator is
from lpn_algebra import residual, series
random.seed(5)


def run(t, b, k, mu, sparse):
    N = t * b
    A = [0] * N
    for i in range(N):
        if sparse:
            for _ in range(10):
                A[i] ^= 1 << random.randrange(k)
        else:
            A[i] = random.getrandbits(k)
    s = random.getrandbits(k)
    noisy = [i * b + random.randrange(b) for i in range(t)]
    y = [bin(A[i] & s).count('1') & 1 for i in range(N)]
    for i in noisy:
        y[i] ^= 1
    # linear equations: block parities and mu correct noise-free guesses per block -> eliminate
    eqs = []
    for B in range(t):
        a = 0
        c = 1
        for i in range(B * b, B * b + b):
            a ^= A[i]
            c ^= y[i]
        eqs.append(a | c << k)                    # sum of e = 1
        g = [i for i in range(B * b, B * b + b) if i not in noisy]
        random.shuffle(g)
        for i in g[:mu]:
            eqs.append(A[i] | y[i] << k)
    piv = {}
    for v in eqs:
        for h, p in piv.items():
            if v >> h & 1:
                v ^= p
        lo = v & ((1 << k) - 1)
        if lo:
            h = lo.bit_length() - 1
            for q in list(piv):
                if piv[q] >> h & 1:
                    piv[q] ^= v
            piv[h] = v
    free = [i for i in range(k) if i not in piv]
    n = len(free)
    pos = {f: i for i, f in enumerate(free)}

    def red(i):
        v = A[i] | y[i] << k
        for h, p in piv.items():
            if v >> h & 1:
                v ^= p
        r = 0
        for f in free:
            if v >> f & 1:
                r |= 1 << pos[f]
        return r | (v >> k & 1) << n                  # affine form of e_i in n free variables
    E = [red(i) for i in range(N)]
    col = {}
    c = n
    for i in range(n):
        for j in range(i):
            col[(i, j)] = c
            c += 1
    V = c
    basis = {}
    for B in range(t):
        fs = [E[i] for i in range(B * b, B * b + b) if E[i]]
        for f, g in itertools.combinations(fs, 2):
            fb = [i for i in range(n) if f >> i & 1]
            gb = [i for i in range(n) if g >> i & 1]
            f0, g0 = f >> n & 1, g >> n & 1
            r = f0 & g0
            v = 0
            for i in fb:
                if g0:
                    v ^= 1 << i
                for j in gb:
                    v ^= (1 << i) if i == j else 1 << col[(max(i, j), min(i, j))]
            if f0:
                for j in gb:
                    v ^= 1 << j
            while v:
                h = v.bit_length() - 1
                if h not in basis:
                    basis[h] = v
                    break
                v ^= basis[h]
    H = max(residual(float(N - k - 1), series(b, t, float(t), float(mu)))[0], 0)
    assert V - len(basis) == H - (n + 1)      # as lpn.md says
    print(f"t={t} beta={b} k={k} mu={mu} {'sparse' if sparse else 'dense '}: n={n} V={V} rank={len(basis)} residual={V-len(basis)} predicted={H:.0f}")


for sp in (0, 1):
    for (t, b, k, mu) in ((8, 12, 60, 0), (8, 12, 50, 0), (8, 12, 40, 0), (8, 12, 60, 2), (10, 10, 60, 1)):
        run(t, b, k, mu, sp)
