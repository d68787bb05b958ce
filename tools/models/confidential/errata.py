"""Errors of FABLE's paper and code, by number or by simulation."""
import random
from fable import *
rng = random.Random(9)
# (1) Algorithm 1 read literally: t_i = [x_i != x_{i-1}], x^D_i = MUX(t_i, N+i, x_i) with MUX(c,x,y)=x if c
xs = sorted([3, 3, 5, 7, 7, 7])
N = 8
lit = [xs[0]] + [(N + i) if xs[i] != xs[i - 1] else xs[i] for i in range(1, 6)]
fix = [xs[0]] + [(N + i) if xs[i] == xs[i - 1] else xs[i] for i in range(1, 6)]
assert len(set(lit)) < 6 == len(set(fix))
print("Alg.1 literal:", lit, "-> distinct?", len(set(lit)) == 6, "| corrected:", fix, "-> distinct?", len(set(fix)) == 6)
# (2) in-bucket positions not forced distinct -> XOR-select cancels.  expected wrong answers per batch
for NB in (119, 890, 10877):
    print("N_B=%d: P[two of 3 independent positions coincide]=%.5f, expected corrupted queries at b=4096: %.1f" % (NB, 1 - (1 - 1 / NB) * (1 - 2 / NB), 4096 * (1 - (1 - 1 / NB) * (1 - 2 / NB)) * 2 / 3))
import fable
orig = fable.cand


def nd(idv, lab, cnt, mod):
    return [int.from_bytes(hashlib.blake2b(f"{lab}|{i}|0|{idv}".encode(), digest_size=8).digest(), 'little') % mod for i in range(cnt)] if lab == 'P' else orig(idv, lab, cnt, mod)


fable.cand = nd
bad = 0
tot = 0
for _ in range(60):
    T = {k: rng.randrange(1, 512) for k in range(128)}
    x = [rng.randrange(128) for _ in range(16)]
    o = fable.fable(T, x, 7, 9, rng, B=96, NB=24)
    bad += sum(a != T[k] for a, k in zip(o, x))
    tot += 16
assert bad > 0
print("simulated with possibly equal positions (N_B=24): wrong answers %d/%d" % (bad, tot))
fable.cand = orig
# (3) collision bound
p = 1.0
for i in range(1, 5794):
    p *= 1 - i / 2**64
print("1-prod for b=5793: 2^%.2f (printed condition 'prod <= 2^-40' is never met by small b); a 64-bit block cipher never collides" % (__import__('math').log2(1 - p) if p < 1 else float('-inf')), " b^2/2^65=2^%.3f" % (2 * __import__('math').log2(5793) - 65))
# (4) zero responses in released code at real size N=2^20,b=4096,load 384/890
ld = 384 / 890
print("code variant N=2^20: a table key shows 0 at each of its other 2 positions w.p. %.2f; an absent key (dummy/duplicate/missing) shows three zeros w.p. %.3f -> all-equal batch: about %d buckets with three zeros, distinct batch: 0" % (1 - ld, (1 - ld)**3, 4095 * (1 - ld)**3))
print("code variant false match per batch: %d empty retrieved slots x 2^-21 = %.4f" % (4096 * 2 * (1 - ld), 4096 * 2 * (1 - ld) / 2**21))
# (5) minimal expansion so that the 4-in-3 obstruction is below 2^-40
import math
def lc(n, k): return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


for b in (4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096):
    B = b
    while (lc(b, 4) - 3 * lc(B, 3)) / math.log(2) > -40:
        B += 1
    print("b=%d: B/b for 2^-40 from the 4-in-3 term alone = %.2f (B=%d)" % (b, B / b, B))
