"""VOLE over F_2^64 with Delta in V = (F_2^64)^2: base VOLEs, single-point VOLE, LPN with coefficients; two attacks; costs.
    python vole.py            (about half a minute)"""
import hashlib, math, sys
from pathlib import Path
import numpy as np
sys.path.insert(0, str(Path(__file__).parents[2]))      # tools/, where the estimator is
from gf import U, mul, rand, solve, rank

rng = np.random.default_rng(7)
SETS = {"S": (976, 14, 7), "M": (2504, 17, 10), "L": (2584, 19, 12)}


def H(key, x):                                      # stand-in for the CCR hash on 128-bit blocks (int)
    return int.from_bytes(hashlib.blake2b(x.to_bytes(16, "little"), digest_size=16, key=key).digest(), "little")


def V(x):                                           # 128-bit int -> pair
    return np.array([x & (2**64 - 1), x >> 64], U)


def scale(a, v):                                    # F_2^64 times V, componentwise
    return mul(np.asarray(a, U)[..., None], v)


DELTA = int(rng.integers(0, 2**63)) << 64 | int(rng.integers(0, 2**63)) << 1 | 1
D = V(DELTA)


def cots(n):
    b = rng.integers(0, 2, n)
    q = [int.from_bytes(rng.bytes(16), "little") for _ in range(n)]
    return q, b, [x ^ (DELTA if c else 0) for x, c in zip(q, b)]


def base_vole(n):
    """64 COTs a VOLE, no message: sum of x^i t_i = sum of x^i q_i + (sum b_i x^i) Delta."""
    v, w, a = np.zeros((n, 2), U), np.zeros((n, 2), U), np.zeros(n, U)
    for j in range(n):
        q, b, t = cots(64)
        for i in range(64):
            xi = U(1 << i)
            v[j] ^= scale(xi, V(q[i]))
            w[j] ^= scale(xi, V(t[i]))
            a[j] ^= U(int(b[i]) << i)
    return v, w, a


def tree(depth):
    """Half-tree: leaves with XOR Delta; the punctured side as the receiver computes it is only simulated here."""
    level = [r := int.from_bytes(rng.bytes(16), "little"), r ^ DELTA]
    for _ in range(1, depth):
        level = [y for x in level for y in (H(b"tree", x), H(b"tree", x) ^ x)]
    return level


def single_point(depth, y, z, beta, hashed=True):
    """Sender: y, leaves; receiver: z = y + beta Delta, all leaves but alpha. One more block than for COT: d."""
    leaves = tree(depth)
    alpha = int(rng.integers(0, 1 << depth))
    out = (lambda i: V(H(b"leaf", leaves[i] ^ i))) if hashed else (lambda i: V(leaves[i]))
    v = np.array([out(i) for i in range(1 << depth)])
    d = np.bitwise_xor.reduce(v) ^ y                # sent
    others = np.bitwise_xor.reduce(np.delete(v, alpha, 0))
    w = v.copy()
    w[alpha] = others ^ d ^ z
    e = np.zeros(1 << depth, U)
    e[alpha] = beta
    assert np.all(w == v ^ scale(e, D)), "w = v + e Delta"
    return v, w, e, d, z


def matrix(n, k, field):
    idx = rng.integers(0, k, (n, 10))
    return idx, (rand(rng, n, 10) | U(1) if field else np.ones((n, 10), U))


def encode(idx, c, s):
    return np.bitwise_xor.reduce(mul(c.reshape(c.shape + (1,) * (s.ndim - 1)), s[idx]), axis=1)


def extension(t=8, log_k=4, depth=3):
    k, n = 1 << log_k, t << depth
    sv, sw, sa = base_vole(k + t)
    v, w, e = [], [], []
    for j in range(t):
        x = single_point(depth, sv[k + j], sw[k + j], sa[k + j])
        v.append(x[0])
        w.append(x[1])
        e.append(x[2])
    idx, c = matrix(n, k, True)
    v = np.concatenate(v) ^ encode(idx, c, sv[:k])
    w = np.concatenate(w) ^ encode(idx, c, sw[:k])
    a = np.concatenate(e) ^ encode(idx, c, sa[:k])
    assert np.all(w == v ^ scale(a, D))
    return n


def leak_of_raw_leaves():
    """Leaves that are not hashed: d + z + (their public sum rule) gives (1 + beta) Delta, hence Delta."""
    sv, sw, sa = base_vole(1)
    *_, d, z = single_point(4, sv[0], sw[0], sa[0], hashed=False)
    from gf import inv
    got = scale(inv(sa[0] ^ U(1)), d ^ z)
    return bool(np.all(got == D))


# ---- splitting attack --------------------------------------------------------------------------------------------
def f2_reduce(rows):
    """rank over F_2 of rows of uint64"""
    basis = {}
    for r in map(int, rows):
        while r:
            h = r.bit_length()
            if h not in basis:
                basis[h] = r
                break
            r ^= basis[h]
    return len(basis)


def splitting(field, k=48, t=96, block=8, check=70, tries=6):
    """Rows I (k of them) give a guess of s; the residual on other rows is A A_I^-1 e_I: over a binary A it lies, on error-free
    rows, in the F_2-span of the h errors in I, of dimension h < 64 when t k / n < 64. Rank of residuals tells."""
    n = t * block
    idx, c = matrix(n, k, field)
    A = np.zeros((n, k), U)
    for j in range(10):
        np.bitwise_xor.at(A, (np.arange(n), idx[:, j]), c[:, j])
    s, e = rand(rng, k), np.zeros(n, U)
    pos = np.arange(t) * block + rng.integers(0, block, t)
    e[pos] = rand(rng, t)
    y = np.bitwise_xor.reduce(mul(A, s[None]), axis=1) ^ e
    low = 64
    for _ in range(tries):
        I = rng.permutation(n)[:k]                  # rows of even weight: a binary A has rank k - 1 at most
        x = solve(A[I], y[I][:, None], any_rank=True)
        res = y ^ np.bitwise_xor.reduce(mul(A, x[:, 0][None]), axis=1)
        J = rng.permutation(np.setdiff1d(np.arange(n), I))[:check]
        # count rows of J: error-free ones span at most h dimensions, each erroneous one adds one
        low = min(low, f2_reduce(res[J]))
    return low, t * k / n


def log2_poisson_below(mu, bound):
    """log2 Pr[Poisson(mu) < bound]"""
    t = [x * math.log(mu) - mu - math.lgamma(x + 1) for x in range(bound)]
    m = max(t)
    return (m + math.log(sum(math.exp(x - m) for x in t))) / math.log(2)


# ---- costs -------------------------------------------------------------------------------------------------------
def seeds(name):
    t, lk, d = SETS[name]
    return (1 << lk) + t, t * d                     # VOLEs, COTs


def usable(name, last):
    """Outputs of an extension; all of them if no further extension follows."""
    t, lk, d = SETS[name]
    return (t << d) if last else ((t - -(-seeds(name)[0] // (1 << d))) << d)


def plan(m):
    """COTs and bytes (without the COTs') for m VOLEs: packing, S, or M from two S."""
    if m <= seeds("S")[0]:
        return "packing", 64 * m, 0
    cot, by, have = 64 * seeds("S")[0], 0, 0
    t, lk, d = SETS["S"]
    if m <= usable("S", True):
        return "S", cot + t * d, 16 * d * -(-m // (1 << d))
    need = seeds("M")[0]
    ext = 1 + math.ceil((need - usable("S", True)) / usable("S", False))
    cot, by = cot + ext * t * d, by + ext * 16 * t * d
    t, lk, d = SETS["M"]
    full = max(0, math.ceil((m - usable("M", True)) / usable("M", False)))
    rest = m - full * usable("M", False)
    return f"M x{full + 1}", cot + (full + 1) * t * d, by + full * 16 * t * d + 16 * d * -(-rest // (1 << d))


def estimates():
    """F_2^64 with random coefficients, by tools/lpn_field.py."""
    from lpn_field import estimate_field
    for name, (t, lk, d) in SETS.items():
        print(f"  {name}:", {attack[6:]: round(bits, 1) for attack, bits in estimate_field(t << d, 1 << lk, t).items()})


if __name__ == "__main__":
    v, w, a = base_vole(20)
    assert np.all(w == v ^ scale(a, D))
    for depth in (1, 3, 6):
        sv, sw, sa = base_vole(1)
        single_point(depth, sv[0], sw[0], sa[0])
    print("extension of", extension(), "VOLEs correct")
    leak = leak_of_raw_leaves()
    assert leak
    print("raw leaves give Delta away:", leak)
    for field in (False, True):
        low, h = splitting(field)
        assert low == 64 if field else low < 16
        print(f"splitting attack, {'field' if field else 'binary'} matrix: lowest rank of 70 residuals {low} of 64 (errors among k rows: {h:.0f} on average)")
    print("log2 Pr[fewer than w errors among r k rows], w bits a value, r independent coefficients:")
    for name, (t, lk, d) in SETS.items():
        mu = t * (1 << lk) / (t << d)
        print(" ", name, {(w, r): round(log2_poisson_below(r * mu, w), 1) for w in (64, 128) for r in (1, 2, 4, 10)})
    print("LPN over F_2^64, bits:")
    estimates()
    print("m, source, COTs, bytes beside the COTs':")
    for m in (400, 17360, 84_000, 2**20, 1_342_178, 21_474_837, 2**24):
        print(" ", m, *plan(m))
