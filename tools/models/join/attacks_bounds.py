"""Independent check of bounds.py and okvs.py: the whole union bound summed exactly for small n, simulation where failures are
frequent enough to count, clusters that overflow, and for large n the largest single term times the number of all terms.
"""
import math, os, random
import numpy as np
from bounds import hall, cuckoo_bins
from okvs import columns, failure
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise

rnd = random.Random(4)
L2E = 1 / math.log(2)


def lb(n, r):
    return (math.lgamma(n + 1) - math.lgamma(r + 1) - math.lgamma(n - r + 1)) * L2E if 0 <= r <= n else -math.inf


def whole(n, m):
    """The sum of bounds.hall's docstring without a grid: every s > a+b+c, exact counts."""
    w = m // 3
    n2 = [[0] * (w + 1) for _ in range(n + 1)]                  # s keys on x places, at least two at each
    n2[0][0] = 1
    for s in range(1, n + 1):
        for x in range(1, min(w, s // 2) + 1):
            n2[s][x] = x * (n2[s - 1][x] + (s - 1) * n2[s - 2][x - 1])
    tot = 0.0
    for s in range(4, n + 1):
        q = np.array([math.comb(w, x) * n2[s][x] / w**s for x in range(w + 1)])
        x = np.arange(w + 1)
        vol = x[:, None, None] * x[None, :, None] * x[None, None, :] / w**3
        p = q[:, None, None] * q[None, :, None] * q[None, None, :]
        if s < n:
            p = p * (1 - vol) ** (n - s)
        tot += math.comb(n, s) * p[(x[:, None, None] + x[None, :, None] + x[None, None, :]) < s].sum()
    return tot


def placeable(rows, m):
    """Kuhn's depth-first matching; no code shared with bounds.placed."""
    owner = [-1] * m

    def go(k, seen):
        for b in rows[k]:
            if b not in seen:
                seen.add(b)
                if owner[b] < 0 or go(owner[b], seen):
                    owner[b] = k
                    return True
        return False
    return all(go(k, set()) for k in range(len(rows)))


def draw(n, w):
    return [(rnd.randrange(w), w + rnd.randrange(w), 2 * w + rnd.randrange(w)) for _ in range(n)]


def overflow(n, b, m, runs):
    w, bad = m // 3, 0
    for _ in range(runs):
        c = [0] * b
        for _ in range(n):
            c[rnd.randrange(b)] += 1
        bad += any(not placeable(draw(x, w), m) for x in c)

    def exact(l): return 1.0 if l > m else min(1.0, whole(l, m)) if l >= 4 else 0.0
    def pmf(l): return math.exp((lb(n, l) + l * math.log2(1 / b) + (n - l) * math.log2(1 - 1 / b)) / L2E)
    return bad / runs, b * sum(pmf(l) * exact(l) for l in range(n + 1) if pmf(l) > 1e-9)


TH = np.exp(np.linspace(math.log(1e-4), math.log(80), 3000))
LE, LT = np.log(np.expm1(TH) - TH), np.log(TH)


def crude(n, m, small=24):
    """log2 of (largest term with s > small) x (number of all terms), by random ascent over (s, a, b, c); the rest is exact."""
    w = m // 3

    def term(s, a, b, c):
        if not (small < s <= n and a + b + c < s and min(a, b, c) >= 1 and max(a, b, c) <= w and s >= 2 * max(a, b, c)):
            return -math.inf
        v = lb(n, s) + ((n - s) * math.log1p(-a * b * c / w**3) * L2E if s < n and a * b * c < w**3 else 0)
        for x in (a, b, c):
            v += lb(w, x) + (math.lgamma(s + 1) + float(np.min(x * LE - s * LT))) * L2E - s * math.log2(w)
        return v
    best = -math.inf
    for start in range(24):
        s = n if start % 4 == 3 else small + 1 if start % 4 == 0 else rnd.randint(small + 1, n)
        a, b, c = (max(1, min(w, int((s - 1) / 3 * rnd.uniform(.5, 1)))) for _ in range(3))
        here, step = term(s, a, b, c), max(1, s // 4)
        while step:
            moved = False
            for _ in range(30):
                y = [z + rnd.randint(-step, step) for z in (s, a, b, c)]
                v = term(*y)
                if v > here:
                    (s, a, b, c), here, moved = y, v, True
            if not moved:
                step //= 2
        best = max(best, here)
    return best + math.log2(n) + 3 * math.log2(w)


if __name__ == "__main__":
    print("n, columns: measured, whole sum, bounds.py")
    for n, m, runs in ((8, 12, 40000), (12, 18, 40000), (20, 27, 30000), (30, 36, 8000), (40, 48, 6000), (60, 72, 3000)) if FULL else ((8, 12, 10000), (20, 27, 4000)):
        got = sum(not placeable(draw(n, m // 3), m) for _ in range(runs)) / runs
        e, h = whole(n, m), 2 ** hall(n, m)
        print(f"  {n} {m}: {got:.5f}  {e:.5f}  {h:.5f}")
        assert got <= e * 1.1 + 4 * (e / runs) ** .5 and h >= e * .9
    print("whole sum against bounds.py where both are small (log2):")
    for n, m in ((40, 75), (60, 120), (80, 150)) if FULL else ((40, 75),):
        e, h = math.log2(whole(n, m)), hall(n, m)
        print(f"  {n} {m}: {e:.2f} {h:.2f}")
        assert h >= e - .1
    print("clusters that overflow, n, clusters, columns of each: measured, sum over loads")
    for n, b, m, runs in ((64, 4, 24, 4000), (96, 6, 24, 3000), (128, 4, 42, 2500)) if FULL else ((64, 4, 24, 500),):
        got, e = overflow(n, b, m, runs)
        print(f"  {n} {b} {m}: {got:.4f} {e:.4f}")
        assert got <= e + 4 * (e / runs) ** .5
    print("largest term beyond s = 24 times the number of terms, against the bound (log2):")
    for n in (64, 200, 512, 1000, 1896, 4096, 32768, 65535) if FULL else (64, 1000):
        for what, m in (("cuckoo", cuckoo_bins(n)), ("okvs", columns(n)[1])):
            big = crude(n, m)
            assert big < -40
            print(f"  {what} {n} {m}: {big:.1f} {hall(n, m):.1f}")
    print(f"  okvs cluster at +9 sd, {32768 + 9 * 181} keys: {crude(32768 + 9 * 181, 42600):.1f}")
    worst = max((hall(n, cuckoo_bins(n)), n) for n in list(range(4, 2100, 53)) + [1890, 1897, 2047]) if FULL else max((hall(n, cuckoo_bins(n)), n) for n in (375, 1897))
    assert worst[0] < -44
    print("worst cuckoo", worst)
    worst = max((failure(n), n) for n in list(range(4, 2100, 97)) + [2500, 3000, 3600, 5000, 9000, 65535, 65536, 98303, 98304, 131071, 3 << 24]) if FULL else max((failure(n), n) for n in (392, 5000))
    assert worst[0] < -44
    print("worst okvs", worst)
