"""When can n keys with three places each, one in every third of m, be given a place of their own? Union bound over Hall
violators (s keys whose places number s - 1), and measurements. Serves the cuckoo table and the OKVS.
    python bounds.py           (about a minute)"""
import math, os, sys
import numpy as np
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise

L2E = 1 / math.log(2)
sys.setrecursionlimit(10000)


def lb(n, r):
    return (math.lgamma(n + 1) - math.lgamma(r + 1) - math.lgamma(n - r + 1)) * L2E if 0 <= r <= n else -math.inf


def ladd(xs):
    m = max(xs, default=-math.inf)
    return m if m == -math.inf else m + math.log2(sum(2.0 ** (x - m) for x in xs))


def covers(s, x):
    """Number of ways to throw s keys into x bins, at least two in each (exact, by a recurrence)."""
    return COVER.setdefault((s, x), (x * (covers(s - 1, x) + (s - 1) * covers(s - 2, x - 1)) if s >= 2 * x > 0 else int(s == x == 0)))


COVER = {}
T = np.exp(np.linspace(math.log(1e-3), math.log(60), 4000))
LE, LT = np.log(np.expm1(T) - T), np.log(T)


def covers_bound(s, x):
    """log of an upper bound for real x: least over z of s! (e^z - 1 - z)^x / z^s; concave in x."""
    return math.lgamma(s + 1) + float(np.min(x * LE - s * LT))


def hall(n, m, exact=24):
    """log2 of the bound. If the keys cannot be placed there is a set T of places, at least two keys at each, such that the
    set S of all keys with their three places in T has more members than T; all others have a place outside T. So: sum over
    T (a, b, c in the thirds) and s > a+b+c of C(w,a) C(w,b) C(w,c) C(n,s) prod covers(s,.)/w^s (1 - abc/w^3)^(n-s).
    Up to s = `exact` the sum as it is, with 1 for the last factor and s = a+b+c+1 (then S is a smallest such set). Beyond,
    covers is bounded as above and the sum over shapes (a,b,c) by s^2/2 times the largest of a grid of shapes; for large n
    the sum over |T| is on a grid too, each point counted for the whole step to the next."""
    w = m // 3
    terms = []
    for s in range(4, min(n, exact) + 1):
        one = {x: lb(w, x) + math.log2(covers(s, x)) - s * math.log2(w) for x in range(1, s // 2 + 1) if x <= w}
        inner = [one[a] + one[b] + one[s - 1 - a - b] for a in one for b in one if s - 1 - a - b in one]
        terms.append(lb(n, s) + ladd(inner))

    def shape(s, t, u, v):
        a, b = t / 3 * (1 + u), t / 3 * (1 + v)
        c = t - a - b
        if min(a, b, c) < 1 or max(a, b, c) > w:
            return -math.inf
        out = (n - s) * math.log1p(-a * b * c / w**3) * L2E if s < n else 0
        return lb(n, s) + out + sum(lb(w, x) + covers_bound(s, x) * L2E - s * math.log2(w) for x in (a, b, c))

    def f(t):                                       # all s > t for a set T of t places
        got, s, best = [], t + 1, -math.inf
        while s <= n:
            step = max(1, (s - t) // 4)
            got.append(max(shape(s, t, u, v) for u, v in SHAPES) + math.log2(step))
            best = max(best, got[-1])
            if got[-1] < best - 50 or (best < -150 and len(got) > 3):
                break
            s += step
        return ladd(got) + 2 * math.log2(t) - 1
    t = exact
    here = f(t) if t < n else -math.inf
    while t < n:
        step = max(1, t // 25)
        there = f(min(n - 1, t + step))
        terms.append(max(here, there) + math.log2(step))
        if t == n - 1:
            break
        here, t = there, min(n - 1, t + step)
    return ladd(terms)


SHAPES = [(u, v) for u in (-.3, -.1, 0, .1, .3) for v in (-.3, -.1, 0, .1, .3)]


def cuckoo_bins(n):
    """The rule: simple, public, never below what the bound asks."""
    return 3 * -(-max(math.ceil(1.27 * n), n + 512) // 3) if n < 2048 else 3 * -(-math.ceil(1.27 * n) // 3)


def places(rng, n, m, runs):
    w = m // 3
    return rng.integers(0, w, (runs, n, 3)) + w * np.arange(3)


def placed(rows, m):
    """Maximum matching by breadth-first augmentation; returns whether every key has a place, and the longest path."""
    owner = [-1] * m
    longest = 0
    for key in range(len(rows)):
        parent, queue, seen, end = {}, [key], set(), -1
        for x in queue:
            for b in rows[x]:
                if b in seen:
                    continue
                seen.add(b)
                parent[b] = x
                if owner[b] < 0:
                    end = b
                    break
                queue.append(owner[b])
            if end >= 0:
                break
        if end < 0:
            return False, longest
        steps = 0
        while True:
            x = parent[end]
            prev = next((b for b in rows[x] if owner[b] == x), -1)
            owner[end] = x
            steps += 1
            if x == key:
                break
            end = prev
        longest = max(longest, steps)
    return True, longest


def walk(rows, m, rng, limit):
    """Random-walk insertion, as most programs do."""
    owner = [-1] * m
    for key in range(len(rows)):
        x, came = key, -1
        for _ in range(limit):
            free = [b for b in rows[x] if owner[b] < 0]
            if free:
                owner[free[0]] = x
                break
            b = int(rng.choice([b for b in rows[x] if b != came]))
            owner[b], x, came = x, owner[b], b
        else:
            return False
    return True


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    print("measured failure of placement against the bound (20000 runs, or 4000):")
    for n, m in ((5, 9), (6, 9), (10, 15), (10, 18), (16, 24), (16, 30), (24, 42)):
        R = places(rng, n, m, 20000 if FULL else 4000).tolist()
        bad = sum(not placed(r, m)[0] for r in R) / len(R)
        b = hall(n, m)
        assert bad <= 2**b * 1.15 + 4 * (2**b / len(R)) ** .5 + 1e-9
        print(f"  n {n} m {m}: measured {bad:.5f}, bound {2**b:.5f}")
    R = places(rng, 300, 381, 400).tolist()
    print("n 300, m 1.27 n, failures of 400: random walk of 20 steps", sum(not walk(r, 381, rng, 20) for r in R),
          "of 100 steps", sum(not walk(r, 381, rng, 100) for r in R), "matching", sum(not placed(r, 381)[0] for r in R))
    ok, longest = placed(places(rng, 30000, 38100, 1)[0].tolist(), 38100)
    assert ok and longest <= 8
    print("n 30000: placed", ok, "longest augmenting path", longest)
    print("n, the rule's bins (ratio), log2 of the bound on failure:")
    for n in (4, 16, 64, 256, 512, 1024, 1500, 1900, 2048, 4096, 1 << 14, 1 << 16, 1 << 20, 1 << 24) if FULL else (4, 64, 256, 1024, 2048, 1 << 16):
        m = cuckoo_bins(n)
        h = hall(n, m)
        assert h <= -40, (n, m, h)
        print(f"  {n}: {m} ({m / n:.3f}) {h:.1f}")
    print("1.27 n alone: n = 1024:", round(hall(1024, 1302), 1), " n = 256:", round(hall(256, 327), 1), "(the bound says nothing)")
