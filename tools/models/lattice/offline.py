"""Offline form: r W ahead; online x1 - r one way, f bits an output back: product and safe truncation in one round trip.
Exhaustive over all values and P1's shares on a small ring; shared times shared by triples; X X^T with one direction."""
import numpy as np
rng = np.random.default_rng(2)


def truncated(y0, y1, l, f):
    """y1 known ahead: P1's choice bit is spent offline.  Returns both shares of floor(X/2^f) or one less; online f bits from P0 to P1"""
    t = 1 << l
    F = 1 << f
    y0 = (y0 + (1 << (l - 2))) % t
    m0, m1 = y0 >> (l - 1), y1 >> (l - 1)
    k0, k1 = rng.integers(0, F, y0.shape), rng.integers(0, F, y0.shape)
    mine = np.where(m1 == 1, k1, k0)          # offline, P1 chose m1
    c = (1 - m0 + k0 - k1) % F                                                                               # online, P0 to P1
    w0, w1 = (m0 - k0) % F, (mine + m1 * c) % F
    return ((y0 >> f) - (w0 << (l - f)) - (1 << (l - 2 - f))) % t, ((y1 >> f) - (w1 << (l - f))) % t


l, f = 11, 4
t = 1 << l
X, y1 = np.meshgrid(np.arange(-(1 << (l - 2)), 1 << (l - 2)), np.arange(t))
a, b = truncated((X - y1) % t, y1, l, f)
got = (a + b) % t
got = np.where(got >= t // 2, got - t, got)
d = (X >> f) - got
assert ((d == 0) | (d == 1)).all()
print("truncation, all", X.size, "pairs of value and share: floor or one less; share of one less", round(float((d == 1).mean()), 3))
l = 37
t = 1 << l
M = lambda *s: rng.integers(0, t, s).astype(object)
W = rng.integers(-2**14, 2**14, (6, 5)).astype(object)
x0, x1, r, s1 = M(4, 6), M(4, 6), M(4, 6), M(4, 5)
s0 = (r.dot(W) - s1) % t
d_ = (x1 - r) % t
assert (((x0 + d_).dot(W) + s0 + s1 - (x0 + x1).dot(W)) % t == 0).all()
X0, X1, Y0, Y1, A0, A1, B0, B1 = M(4, 6), M(4, 6), M(6, 5), M(6, 5), M(4, 6), M(4, 6), M(6, 5), M(6, 5)
p, q = M(4, 5), M(4, 5)
C0 = (A0.dot(B0) + p + q) % t
C1 = (A1.dot(B1) + (A0.dot(B1) - p) + (A1.dot(B0) - q)) % t   # p, q: masks of the two lattice products
D, E = (X0 + X1 - A0 - A1) % t, (Y0 + Y1 - B0 - B1) % t
Z0 = D.dot(E) + D.dot(B0) + A0.dot(E) + C0
Z1 = D.dot(B1) + A1.dot(E) + C1
assert ((Z0 + Z1 - (X0 + X1).dot(Y0 + Y1)) % t == 0).all()
p = M(4, 4)
c = (A0.dot(A1.T) - p) % t
C0 = A0.dot(A0.T) + p + p.T
C1 = A1.dot(A1.T) + c + c.T
Z0 = D.dot(D.T) + D.dot(A0.T) + A0.dot(D.T) + C0
Z1 = D.dot(A1.T) + A1.dot(D.T) + C1
assert ((Z0 + Z1 - (X0 + X1).dot((X0 + X1).T)) % t == 0).all()
print("offline product, triple, symmetric triple with one direction: exact")
