"""Attacks on VOLE and OPRF. 1: splitting, to full recovery of the noise, binary matrix against coefficients. 2: two errors among k
rows cost one lookup pass over F_2^64 (columns that agree modulo the residual). 3: what 2 does to sparse rows; products inside a
block after guessed zeros. 4: guessing Delta against q hash values of one key.
5: the two noise values for which D is not hidden by the leaf hash.
"""
import hashlib, math, os, random, sys
from pathlib import Path
import numpy as np
sys.path.insert(0, str(Path(__file__).parents[2]))      # tools/, where the estimator is
from gf import U, mul, inv, rand, solve
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise

rng, rnd = np.random.default_rng(21), random.Random(21)


# ---- 1 -----------------------------------------------------------------------------------------------------------
def f2_inverse_rows(A, k):
    """A: rows as ints of k bits. Indices I of independent rows (greedily in random order) and, for every row, its combination
    of the rows in I as an int, or None outside the span."""
    basis, I, comb = {}, [], [None] * len(A)
    order = list(range(len(A)))
    rnd.shuffle(order)
    for r in order:
        v, c = A[r], 0
        while v:
            h = v.bit_length()
            if h not in basis:
                c |= 1 << len(I)
                I.append(r)
                basis[h] = (v, c)
                break
            v ^= basis[h][0]
            c ^= basis[h][1]
        comb[r] = c
    return I, comb


def span_reduce(basis, v):
    while v:
        h = v.bit_length()
        if h not in basis:
            return v
        v ^= basis[h]
    return 0


def split_binary(k=300, t=300, block=10):
    n = t * block
    A = []
    for _ in range(n):
        v = 0
        for j in rng.integers(0, k, 10):
            v ^= 1 << int(j)
        A.append(v)
    s = [rnd.getrandbits(64) for _ in range(k)]
    pos = {i * block + rnd.randrange(block): rnd.getrandbits(64) for i in range(t)}

    def row(v):
        out = 0
        while v:
            b = v & -v
            out ^= s[b.bit_length() - 1]
            v ^= b
        return out
    y = [row(A[i]) ^ pos.get(i, 0) for i in range(n)]
    I, comb = f2_inverse_rows(A, k)
    inside = set(I)
    res = {}
    for i in range(n):                                          # residual: error-free rows lie in the span of the errors of I
        if i in inside:
            continue
        v, c = y[i], comb[i]
        while c:
            b = c & -c
            v ^= y[I[b.bit_length() - 1]]
            c ^= b
        res[i] = v
    h = sum(i in pos for i in I)
    # the span of the errors in I: the smallest span of h + 12 residuals, found by sampling (62 rows without error: 2^-9.4)
    left, best = list(res), {}
    for tries in range(1, 3000):
        basis = {}
        for i in rnd.sample(left, min(62, h + 12)):
            v = span_reduce(basis, res[i])
            if v:
                basis[v.bit_length()] = v
        if not best or len(basis) < len(best):
            best = basis
        if len(best) <= h:                                      # (an attacker stops when the size no longer falls)
            break
    bad = {i for i in left if span_reduce(best, res[i])}
    return h, tries, len(best), bad == {i for i in pos if i not in inside and pos[i]}


def clean_rank(field, k=80, t=80, block=10):
    """Rank over F_2 of 70 residuals on error-free rows: at most the number of errors in I over a binary matrix, else 64."""
    n = t * block
    A = np.zeros((n, k), U)
    for j in range(10):
        c = rand(rng, n) if field else np.ones(n, U)
        np.bitwise_xor.at(A, (np.arange(n), rng.integers(0, k, n)), c)
    e = np.zeros(n, U)
    e[np.arange(t) * block + rng.integers(0, block, t)] = rand(rng, t)
    y = np.bitwise_xor.reduce(mul(A, rand(rng, k)[None]), axis=1) ^ e
    I = rng.permutation(n)[:k]
    x = solve(A[I], y[I][:, None], any_rank=True)[:, 0]
    J = [i for i in range(n) if e[i] == 0 and i not in set(I.tolist())][:70]
    basis = {}
    for v in (y[J] ^ np.bitwise_xor.reduce(mul(A[J], x[None]), axis=1)).tolist():
        v = span_reduce(basis, v)
        if v:
            basis[v.bit_length()] = v
    return int(np.sum(e[I] != 0)), len(basis)


# ---- 2 -----------------------------------------------------------------------------------------------------------
def two_errors(k=40, tries=60):
    """A window of residuals is b1 B_j1 + b2 B_j2. Modulo r the two columns are proportional: one normalised lookup finds them."""
    n = 6 * k
    A = rand(rng, n, k)
    s, e = rand(rng, k), np.zeros(n, U)
    I = np.arange(k)
    J = np.arange(k, k + 4)
    j1, j2 = rnd.sample(range(k), 2)
    e[[j1, j2]] = rand(rng, 2)
    y = np.bitwise_xor.reduce(mul(A, s[None]), axis=1) ^ e
    x = solve(A[I], np.concatenate([y[I][:, None], np.eye(k, dtype=U)], axis=1))    # A_I^-1 y_I and A_I^-1
    r = y[J] ^ np.bitwise_xor.reduce(mul(A[J], x[:, 0][None]), axis=1)
    B = np.array([[np.bitwise_xor.reduce(mul(A[j], x[:, 1 + c])) for c in range(k)] for j in J], U)
    q = B[1:] ^ mul(mul(r[1:, None], inv(r[0])), B[:1])         # modulo r: eliminate the first coordinate
    q = mul(q, inv(q[0])[None])                                 # normalise
    seen = {}
    for c in range(k):
        key = tuple(q[1:, c].tolist())
        if key in seen:
            return {seen[key], c} == {j1, j2}
        seen[key] = c
    return False


# ---- 3 -----------------------------------------------------------------------------------------------------------
def costs():
    import lpn_isd as E
    from lpn_field import estimate_field, splitting
    for name, (t, lk, d) in {"S": (976, 14, 7), "M": (2504, 17, 10), "L": (2584, 19, 12)}.items():
        k, n = 1 << lk, t << d
        bits = {attack[6:]: round(cost, 1) for attack, cost in estimate_field(n, k, t).items()}
        assert min(bits.values()) > 160
        print(f"  {name}: ones, splitting 64 bits in sparse rows {splitting(n, k, t, 1):.1f}; coefficients: {bits}; floor, values "
              f"known as over F_2: {E.local_enum(n, k, t, E.sigma_random(n, k)):.1f}")


# ---- 4 -----------------------------------------------------------------------------------------------------------
def guess_delta(bits=22, log_q=8):
    """Outputs H(c_i + g_i Delta), c and g known, Delta of few bits: one evaluation of H serves all q outputs."""
    def H(x): return hashlib.blake2b(x.to_bytes(8, "little"), digest_size=10).digest()
    q, M = 1 << log_q, (1 << bits) - 1
    delta = rnd.getrandbits(bits)
    g = [rnd.randrange(1 << bits) | 1 for _ in range(q)]        # stands for a bijection of Delta: x -> g x mod 2^bits
    c = [rnd.getrandbits(bits) for _ in range(q)]
    out = {H((c[i] + g[i] * delta) & M): i for i in range(q)}
    for calls in range(1, 1 << bits):
        z = rnd.getrandbits(bits)
        i = out.get(H(z))
        if i is not None:
            return calls, (z - c[i]) * pow(g[i], -1, 1 << bits) & M == delta
    return None


# ---- 5 -----------------------------------------------------------------------------------------------------------
def circular():
    """R sees H'(Delta ^ c) ^ beta Delta, H'(x) = pi(sigma x) ^ sigma x. sigma = (1 1; 1 0) over F_2^64 has its eigenvalues in F_4:
    for beta one of them, sigma(Delta) ^ beta Delta lies in 64 dimensions. Rank over F_2 of sigma + beta."""
    w, e = np.array(3, U), (2**64 - 1) // 3                     # cube root of unity: x^((2^64-1)/3) for a non-cube x
    for base in range(2, 40):
        r, x, n = np.array(1, U), np.array(base, U), e
        while n:
            if n & 1:
                r = mul(r, x)
            x, n = mul(x, x), n >> 1
        if int(r) != 1:
            w = r
            break
    assert int(mul(mul(w, w), w)) == 1 and int(w) != 1

    def rank(beta):
        basis = {}
        for i in range(128):
            lo, hi = np.array((1 << i) & (2**64 - 1), U), np.array((1 << i) >> 64, U)
            v = int(hi ^ lo ^ mul(beta, hi)) << 64 | int(hi ^ mul(beta, lo))
            v = span_reduce(basis, v)
            if v:
                basis[v.bit_length()] = v
        return len(basis)
    return hex(int(w)), rank(w), rank(mul(w, w)), {rank(rand(rng)) for _ in range(20)} | {rank(np.array(1, U)), rank(np.array(0, U))}


if __name__ == "__main__":
    for size in ((300, 300, 10), (400, 400, 10)) if FULL else ((300, 300, 10),):
        h, tries, dim, ok = split_binary(*size)
        assert ok
        print(f"splitting, binary, (k, t, block) = {size}: {h} errors among k rows (no error: 2^{size[0] * math.log2(.9):.0f}); "
              f"noise positions found: {ok}, span {dim}, {tries} samples")
    for field in (False, True):
        errors, r = clean_rank(field)
        assert r == 64 if field else r < 32, (errors, r)      # one more for each dimension that the rows miss
        print("  error-free residuals,", "coefficients" if field else "ones", "(errors among k rows, rank of 64):", (errors, r))
    assert all(two_errors() for _ in range(3))
    print("two errors by one lookup pass: found")
    print("bits, S M L:")
    costs()
    got = [guess_delta() for _ in range(12)]
    assert all(ok for _, ok in got)
    print("Delta of 22 bits, 256 values of one key: mean evaluations 2^", round(math.log2(sum(c for c, _ in got) / len(got)), 1), "expected 2^14")
    w, r1, r2, others = circular()
    assert r1 == r2 == 64 and others == {128}
    print("rank of sigma + beta: 64 for beta =", w, "and its square, 128 for others")
