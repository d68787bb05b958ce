"""ReLU of l bits: bills by form; the form on local cuts simulated (its error is one-sided)."""
from common import *
l = 37
for goal in ('total', 'bytes'):
    c = best(compare, l - 1, goal)
    print('compare', goal, c, ' ReLU', c + mux(l))
assert round((compare(36, 3, 'T') + mux(l)).bytes, 1) == 58.8
print('thermometers of 3 bits', compare(36, 3, 'T') + mux(l))


def ripple(bits, w):                     # carry in and out by SP-LUT with role switching: one round a digit
    b = Bill(0, 0, 0, 1)
    for i, v in enumerate(cut(bits, w)):
        b = b + Bill(v + (i > 0), 0, v + (i > 0) + 2**(v + (i > 0)) - 1, 1)
    return b


print('ripple of 2 bits', ripple(36, 2) + mux(l))
print('ReLU with 4 bits cut locally', best(compare, 32) + mux(l))
for r in (19, 16):                       # |x| < 2^r is known: ring of r+2 bits, then extended
    print(f'|x| < 2^{r} units', best(compare, r + 1) + mux(r + 2) + ext(r + 2, l))
# 12-bit ring, cut of 4: all x, all share pairs
n, s = 12, 4
x = np.arange(-(1 << n - 2), 1 << n - 2)[:, None]
a = np.arange(1 << n)[None, :]
b = (x - a) & ((1 << n) - 1)
h = ((a >> s) + (b >> s)) & ((1 << n - s) - 1)
y = np.where(h >> (n - s - 1) & 1, 0, x)
e = y - np.maximum(x, 0)
assert -15 < e.min() and e.max() == 0
print('cut ReLU, all shares: error', e.min(), 'to', e.max(), 'units')
# exact, by the carry
c = ((a & (1 << n - 1) - 1) + (b & (1 << n - 1) - 1)) >> n - 1
assert (((a ^ b) >> n - 1 ^ c) & 1 == (x < 0)).all()
print('exact: all shares ok')
