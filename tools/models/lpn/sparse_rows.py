"""Toy check of the local-code sub-instance attack and of well-pooled enumeration's Gauss core.
k variables, N rows of d=10 random indices, t regular blocks.  Restrict to a random variable
subset S, use only rows supported in S, require the first |S|+slack of them to be error free and
solve.  Compares measured success with (1-rows/N)^t, and with plain Pooled Gauss."""
import random, math, sys
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
k, N, t, d = 500, 10000, 125, 10
b = N // t
rows = [[random.randrange(k) for _ in range(d)] for _ in range(N)]
s = [random.getrandbits(1) for _ in range(k)]
err = [0] * N
for i in range(t):
    err[i * b + random.randrange(b)] = 1
y = [(sum(s[j] for j in r) & 1) ^ err[i] for i, r in enumerate(rows)]


def solve(eqs, cols, need):
    """eqs: list of (row indices) ; returns dict var->val or None if inconsistent"""
    pos = {c: i for i, c in enumerate(cols)}
    piv = {}
    m = len(cols)
    for i in eqs:
        v = 0
        for j in rows[i]:
            v ^= 1 << pos[j]
        v |= y[i] << m
        low = v & ((1 << m) - 1)
        while low:
            h = low.bit_length() - 1
            p = piv.get(h)
            if p is None:
                break
            v ^= p
            low = v & ((1 << m) - 1)
        if low:
            piv[low.bit_length() - 1] = v
        elif v >> m:
            return None, len(piv)      # 0=1: an error was included
    return piv, len(piv)


sig = float(sys.argv[2]) if len(sys.argv) > 2 else 0.76
ks = int(sig * k)
trials = int(sys.argv[3]) if len(sys.argv) > 3 else 300
ok = 0
used = 0
rk = 0
avail = 0
short = 0
for _ in range(trials):
    S = set(random.sample(range(k), ks))
    E = [i for i, r in enumerate(rows) if all(j in S for j in r)]
    avail += len(E)
    if len(E) < ks + 15:
        short += 1
        continue
    random.shuffle(E)
    E = E[:ks + 15]
    used += 1
    piv, r = solve(E, sorted(S), ks)
    if piv is not None and not any(err[i] for i in E):
        ok += 1
    if piv is not None and any(err[i] for i in E):
        raise AssertionError("an error went undetected")
    rk += r
# three standard deviations around the prediction
expected = used * (1 - (ks + 15) / N)**t
assert abs(ok - expected) < 3 * expected**.5 + 1, (ok, expected)
print(f"sub-instance sigma={sig} ks={ks} avail={avail/trials:.0f} used={used} short={short} success={ok} rate=2^{math.log2(max(ok,.5)/max(used,1)):.2f} predicted 2^{t*math.log2(1-(ks+15)/N):.2f}; plain Gauss needs 2^{t*math.log2(1-(k+15)/N):.2f}, with block parities 2^{t*math.log2(1-(k-t+15)/N):.2f}")
# rank on an error-free sub-instance
S = set(random.sample(range(k), ks))
E = [i for i, r in enumerate(rows) if all(j in S for j in r) and not err[i]]
p, r = solve(E[:ks + 15], sorted(S), ks)
print("error-free sub-instance: rank", r, "of", ks, "rows", min(len(E), ks + 15))
assert r >= ks - 2
