"""Plausible mistakes of an implementation, each with what it breaks."""
import math
import numpy as np
from rlwe import *
n = 8192
rng = np.random.default_rng(11)
def ring(L): return Ring(n, primes(8)[:L])


R2 = ring(3)


def product(m, w, l, b):
    t = 1 << l
    Q = Ring(n, primes(((l + b + 14) // 30) + 2))
    mm = np.where(m >= t // 2, m - t, m)
    return Q.crt(Q.inv(Q.fwd(Q.lift(mm)) * Q.fwd(Q.lift(w)) % Q.P())) % t


# 1. a seed used twice
l = 37
t = 1 << l
R = ring(4)
own = Owner(R, rng)
P = R.P()
m1, m2 = words(rng, l, n), words(rng, l, n)
a, _ = own.encrypt(m1, l)
own.seed -= 1
b, _ = own.encrypt(m2, l)
d = R.crt(R.inv((a[0] + P - b[0]) % P))
got = ((d * t * 2 + R.q) // (2 * R.q)) % t
assert (got == (m1 - m2) % t).all()
print("1 seed and counter used twice: differences of all messages read without the key:", bool((got == (m1 - m2) % t).all()))
# 2. floor(q/2^l) instead of q/2^l
for l, bb, L in ((37, 15, 4), (64, 16, 5), (64, 64, 7)):
    R = ring(L)
    P = R.P()
    own = Owner(R, rng)
    t = 1 << l
    m = words(rng, l, n)
    w = np.zeros(n, dtype=object)
    w[:1024] = -(1 << (bb - 1))
    ref = product(m, w, l, bb)
    res = []
    for floor in (False, True):
        z, _ = own.zero()
        x = np.stack([np.asarray(m * (R.q // t) % p, dtype=U) for p in R.ps]) if floor else encode(R, m, l, rng)
        z[0] = (z[0] + R.fwd(x)) % P
        ph = own.phase(z * R.fwd(R.lift(w)) % P)
        v = (ph * t - R.q * np.where(ref >= t // 2, ref - t, ref)) % (R.q * t)
        v = np.where(v > R.q * t // 2, v - R.q * t, v)
        got = ((ph * t * 2 + R.q) // (2 * R.q)) % t
        res.append((int((got != ref).sum()), math.log2(max(1., max(abs(float(q_) / t) for q_ in v)))))
    assert res[0][0] == 0 and res[1][1] > res[0][1] + 15
    print(f"2 l={l} b={bb}, q of {R.q.bit_length()} bits: exact scaling: {res[0][0]} wrong, noise 2^{res[0][1]:.1f}; floor(q/2^l): {res[1][0]} of 8192 wrong, noise 2^{res[1][1]:.1f}")
# 3. negative weights lifted as l-bit words
l, bb = 37, 15
t = 1 << l
R = ring(4)
P = R.P()
own = Owner(R, rng)
m = words(rng, l, n)
w = np.zeros(n, dtype=object)
w[:768] = wide(rng, bb, 768) - (1 << (bb - 1))
ref = product(m, w, l, bb)
ct, _ = own.encrypt(m, l)
for name, ww in (("signed", w), ("as 37-bit words", w % t)):
    ph = own.phase(ct * R.fwd(R.lift(ww)) % P)
    v = (ph * t - R.q * np.where(ref >= t // 2, ref - t, ref)) % (R.q * t)
    v = np.where(v > R.q * t // 2, v - R.q * t, v)
    print(f"3 weights {name}: noise 2^{math.log2(max(abs(float(x)/t) for x in v)):.1f} under flooding 2^{flood_bits(R.q,l)}")
# 4. rounding to the nearest: a constant message has a constant rounding error, which adds up
w = np.zeros(n, dtype=object)
w[:3072] = -(1 << (bb - 1))
best = max(range(1, 4000), key=lambda v: min((R.q % t) * v % t, t - (R.q % t) * v % t))
m = np.full(n, best, dtype=object)
ref = product(m, w, l, bb)
for dith in (False, True):
    ct, _ = own.encrypt(m, l, dith)
    ph = own.phase(ct * R.fwd(R.lift(w)) % P)
    v = (ph * t - R.q * np.where(ref >= t // 2, ref - t, ref)) % (R.q * t)
    v = np.where(v > R.q * t // 2, v - R.q * t, v)
    v = np.array([float(x) / t for x in v[3072:]])
    assert abs(v.mean() / (3.279 * 2**(bb - 1) * 3072**.5)) < 5 if dith else abs(v.mean() / (3.279 * 2**(bb - 1) * 3072**.5)) > 7
    print(f"4 constant message, {'mean-zero' if dith else 'nearest'} rounding: mean noise / proven std {v.mean()/(3.279*2**(bb-1)*3072**.5):+.2f}")
# 5. a decryption failure that is signalled is a decryption oracle: noise of the public key, then the key
l = 16
t = 1 << l
R = ring(3)
P = R.P()
own = Owner(R, rng)
pk, e = own.zero()
base = R.inv(pk)
lo = np.full(n, -22)
hi = np.full(n, 22)
queries = 0
while (hi - lo).max() > 1 and queries < 9:
    mid = (lo + hi) // 2
    c = base.copy()
    off = R.q // (2 * t) - np.asarray(mid, dtype=object)
    c[0] = (c[0] + R.lift(off)) % P         # fails exactly if e > mid (or so)
    ph = R.crt((c[0] + R.inv(R.fwd(c[1]) * own.S % P)) % P)
    fail = ((ph * t * 2 + R.q) // (2 * R.q)) % t != 0
    queries += 1
    lo = np.where(fail, mid, lo)
    hi = np.where(fail, hi, mid)
cand = [lo - 1, lo, lo + 1, hi, hi + 1]
hits = [int((g == e).sum()) for g in cand]
est = cand[int(np.argmax(hits))]
p0 = R.ps[0]
s0 = R.ntt[0].inv(((R.fwd(R.lift(est)) + P - pk[0]) % P * np.stack([np.array([pow(int(v), -1, p) for v in row], dtype=U) for row, p in zip(pk[1], R.ps)]) % P)[0]).astype(np.int64)
s0 = np.where(s0 > p0 // 2, s0 - p0, s0)
assert max(hits) == n and (s0 == own.s).all()
print(f"5 failures signalled: {queries} queries give the noise of the public key (right: {max(hits)}/8192) and the secret key: {bool((s0==own.s).all())}")
# 6. uniform mask modulo q' and local rounding at both ends (no flooding): off by one with probability E|e| 2^l / q'
l = 37
t = 1 << l
for bits in (60, 75, 90):
    q = (1 << bits) - 1
    E = 1 << 20
    N = 200000
    x = wide(rng, l, N)
    e = rng.integers(-E, E + 1, N).astype(object)
    r = wide(rng, bits, N) % q
    y = ((x * q + (t >> 1)) // t + e - r) % q
    bad = (((r * t * 2 + q) // (2 * q) + (y * t * 2 + q) // (2 * q) - x) % t != 0).mean()
    assert abs(bad - E / 2 * t / q) < .1 * E / 2 * t / q + 3e-5
    print(f"6 mask mod q of {bits} bits, noise up to 2^20: off by one {bad:.2e}, predicted {E/2*t/q:.2e}")
# 7. bits that the response keeps of c1
l, bb = 37, 15
t = 1 << l
R = ring(4)
own = Owner(R, rng)
pk, _ = own.zero()
m = words(rng, l, n)
w = np.zeros(n, dtype=object)
w[:768] = -(1 << 14)
ref = product(m, w, l, bb)
pr = own.encrypt(m, l)[0] * R.fwd(R.lift(w)) % R.P()
import rlwe
for c1 in (7, 8, 9, 10, 11):
    rlwe.C1 = c1
    a, b_, r = respond(R, pr, pk, l, rng)
    wrong = int(((open_response(own, R2, a, b_, l) + r) % t != ref).sum())
    assert wrong == 0 if c1 == 11 else wrong > 0 if c1 == 7 else True
    print(f"7 c1 with l+{c1} bits, c0 with l+3: wrong {int(((open_response(own,R2,a,b_,l)+r)%t!=ref).sum())}/8192", end="; ")
print()
