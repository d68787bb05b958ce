"""OKVS: a key is three places, one in each third of its cluster, with coefficients (1, c2, c3); values are rows of words of
F_2^64. Peeling, elimination of what does not peel, back-substitution. Failure against bounds.py; sizes.
    python okvs.py            (about a minute)"""
import hashlib, math, os
import numpy as np
from gf import U, mul, inv, rand, solve, rank
from bounds import hall, places, placed
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise

rng = np.random.default_rng(11)
CLUSTER = 1 << 15


def columns(n):
    """Clusters and columns of each: 1.28 n, with several clusters 1.30 n, and for few keys what makes a core that does not peel rare (2^-40 by the fit of
    RR22, which is about speed here, not about failure)."""
    b = max(1, n // CLUSTER)
    mu = max(1, -(-n // b))
    m = max((1.28 if b == 1 else 1.30) * mu, (1.223 + 49.2 / (5.05 * mu ** .555)) * mu, mu + 512)
    return b, 3 * -(-math.ceil(m) // 3)


def row(key, salt, b, m):
    """128-bit key -> cluster, places, coefficients; two AES calls in the kernel. Coefficients are odd, hence not 0."""
    h = hashlib.blake2b(key, key=salt, digest_size=32).digest()
    a = [int.from_bytes(h[4 * i:4 * i + 4], "little") for i in range(4)]
    w = m // 3
    c = np.frombuffer(h[16:], "<u8") | U(1)
    return a[3] * b >> 32, [j * w + (a[j] * w >> 32) for j in range(3)], np.array([1, c[0], c[1]], U)


def encode_cluster(pl, co, val, m, stats=None):
    """pl: n x 3 places, co: n x 3 coefficients, val: n x words. Random where no key decides. None if dependent."""
    n = len(pl)
    deg, ids = np.zeros(m, int), np.zeros(m, int)
    for i in range(n):
        for p in pl[i]:
            deg[p] += 1
            ids[p] ^= i
    order, alive = [], np.ones(n, bool)
    todo = [p for p in range(m) if deg[p] == 1]
    while todo:
        p = todo.pop()
        if deg[p] != 1:
            continue
        i = ids[p]
        order.append((i, p))
        alive[i] = False
        for q in pl[i]:
            deg[q] -= 1
            ids[q] ^= i
            if deg[q] == 1:
                todo.append(q)
    out = rand(rng, m, val.shape[1])
    core = np.nonzero(alive)[0]
    if stats is not None:
        stats.append(len(core))
    if len(core):
        cols = sorted({p for i in core for p in pl[i]})
        at = {p: j for j, p in enumerate(cols)}
        a = np.zeros((len(core), len(cols)), U)
        for r, i in enumerate(core):
            for p, c in zip(pl[i], co[i]):
                a[r, at[p]] ^= c
        free = rand(rng, len(cols), val.shape[1])   # a random solution: x = free + (solution of the rest)
        rest = val[core] ^ np.bitwise_xor.reduce(mul(a[:, :, None], free[None]), axis=1)
        x = solve(a, rest)
        if x is None:
            return None
        out[cols] = x ^ free
    if order:
        piv = inv(np.array([co[i][list(pl[i]).index(p)] for i, p in order], U))     # Montgomery's trick in the kernel
        for (i, p), f in zip(reversed(order), piv[::-1]):
            v = val[i].copy()
            for q, c in zip(pl[i], co[i]):
                if q != p:
                    v ^= mul(c, out[q])
            out[p] = mul(f, v)
    return out


def encode(keys, val, salt):
    b, m = columns(len(keys))
    rows = [row(k, salt, b, m) for k in keys]
    out = np.zeros((b * m, val.shape[1]), U)
    for c in range(b):
        mine = [i for i, r in enumerate(rows) if r[0] == c]
        p = encode_cluster([rows[i][1] for i in mine], np.array([rows[i][2] for i in mine], U), val[mine], m)
        if p is None:
            return None
        out[c * m:(c + 1) * m] = p
    return out


def decode(table, keys, salt, n):
    b, m = columns(n)
    r = [row(k, salt, b, m) for k in keys]
    at = np.array([[x[0] * m + p for p in x[1]] for x in r])
    return np.bitwise_xor.reduce(mul(np.array([x[2] for x in r], U)[:, :, None], table[at]), axis=1)


def failure(n):
    """log2 of the bound for n keys: loads of a cluster summed, every cluster, and Schwartz-Zippel over the odd coefficients."""
    b, m = columns(n)
    if b == 1:
        return max(hall(n, m), math.log2(n) - 63)
    mu = n / b                                      # Pr[load > l] (Bernstein) + the bound at l, every cluster
    sd = math.sqrt(mu)
    def tail(z): return -z * z / 2 / (1 + z / 3 / sd) / math.log(2)
    return math.log2(b) + min(math.log2(2 ** tail(z) + 2.0 ** min(0, hall(int(mu + z * sd), m))) for z in (8, 9))


if __name__ == "__main__":
    salt = b"salt"
    for n, words in ((0, 1), (1, 1), (3, 2), (200, 2), (400, 1)):
        keys = [rng.bytes(16) for _ in range(n)]
        val = rand(rng, n, words)
        t = encode(keys, val, salt)
        assert n == 0 or np.all(decode(t, keys, salt, n) == val)
    print("encode and decode: ok")
    print("dependent rows against keys without a place of their own, and the bound:")
    for n, m, runs in ((6, 9, 400), (8, 12, 300)) if FULL else ((6, 9, 120),):
        P = places(rng, n, m, runs)
        dep = unplaced = 0
        for p in P:
            a = np.zeros((n, m), U)
            c = rand(rng, n, 3) | U(1)
            c[:, 0] = 1
            a[np.arange(n)[:, None], p] = c
            x, y = rank(a) < n, not placed(p.tolist(), m)[0]
            assert x == y
            dep += x
            unplaced += y
        print(f"  n {n} m {m}: {dep} = {unplaced} of {runs}, bound {2**hall(n, m) * runs:.1f}")
    print("without coefficients: two keys at the same places are dependent; n 2^15, one cluster: log2 Pr",
          round(2 * 15 - 1 - 3 * math.log2(columns(1 << 15)[1] / 3), 1))
    print("keys that do not peel:")
    for n in (256, 1024, 4096, 32768) if FULL else (256, 1024, 4096):
        m, stats = columns(n)[1], []
        for p in places(rng, n, m, max(2, 8000 // n)):

            deg = np.bincount(p.ravel(), minlength=m)
            alive = np.ones(n, bool)
            inc = [[] for _ in range(m)]
            for i, r in enumerate(p.tolist()):
                for q in r:
                    inc[q].append(i)
            todo = [q for q in range(m) if deg[q] == 1]
            while todo:
                q = todo.pop()
                i = next((i for i in inc[q] if alive[i]), None)
                if i is None or deg[q] != 1:
                    continue
                alive[i] = False
                for z in p[i]:
                    deg[z] -= 1
                    if deg[z] == 1:
                        todo.append(int(z))
            stats.append(int(alive.sum()))
        print(f"  n {n} m {m} ({m / n:.3f}): most {max(stats)}, in {sum(x > 0 for x in stats)} of {len(stats)} runs")
    print("sizes (clusters, columns, ratio, log2 of the bound on failure):")
    for lg in (8, 10, 12, 14, 15, 16, 18, 20, 22, 24) if FULL else (8, 12, 16):
        b, m = columns(1 << lg)
        f = failure(1 << lg)
        assert f <= -40
        print(f"  2^{lg}: {b} x {m} = {b * m / 2**lg:.3f} n, {f:.1f}")
