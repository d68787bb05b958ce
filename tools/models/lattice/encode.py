"""Coefficient encoding of matrix products and convolutions: index maps and tile counts, checked exactly mod 2^l on small rings
(no encryption) for all shapes; the response reads only the listed coefficients."""
import itertools, random
import numpy as np


def nega(a, b, n, t):
    c = [0] * n
    for i, x in enumerate(a):
        if x:
            for j, y in enumerate(b):
                if y:
                    k = i + j
                    c[k % n] += x * y if k < n else -x * y
    return [v % t for v in c]


def up(a, b): return -(-a // b)


def matmul(A, B, n, tile, t, side):
    """A: m x k, B: k x N (lists).  side 'left': A is what is encrypted.  Same encoding either way; returns C and (cts up, products, responses)"""
    m, k, N = len(A), len(B), len(B[0])
    mw, kw, nw = tile
    assert mw * kw * nw <= n
    C = [[0] * N for _ in range(m)]
    prods = 0
    for i0 in range(0, m, mw):
        for j0 in range(0, N, nw):
            acc = [0] * n
            for k0 in range(0, k, kw):
                a = [0] * n
                b = [0] * n
                for i in range(min(mw, m - i0)):
                    for q in range(min(kw, k - k0)):
                        a[i * kw * nw + kw - 1 - q] = A[i0 + i][k0 + q]
                for j in range(min(nw, N - j0)):
                    for q in range(min(kw, k - k0)):
                        b[j * kw + q] = B[k0 + q][j0 + j]
                acc = [(x + y) % t for x, y in zip(acc, nega(a, b, n, t))]
                prods += 1
            for i in range(min(mw, m - i0)):
                for j in range(min(nw, N - j0)):
                    C[i0 + i][j0 + j] = acc[i * kw * nw + j * kw + kw - 1]
    cts = up(m, mw) * up(k, kw) if side == 'left' else up(k, kw) * up(N, nw)
    assert prods == up(m, mw) * up(k, kw) * up(N, nw)
    return C, (cts, prods, up(m, mw) * up(N, nw))


def conv(X, K, n, t, s, pad, G, Cw, Mw):
    """X: C x H x W, K: M x C/G x h x w; stride s, zero padding, groups"""
    C, H, W = X.shape
    M, Cg, h, w = K.shape
    Y = np.zeros((C, H + 2 * pad, W + 2 * pad), dtype=object)
    Y[:, pad:pad + H, pad:pad + W] = X
    H += 2 * pad
    W += 2 * pad
    oh, ow = (H - h) // s + 1, (W - w) // s + 1
    out = np.zeros((M, oh, ow), dtype=object)
    Mg = M // G
    assert Cw * Mw * H * W <= n
    cts = resp = prods = 0
    for g in range(G):
        cts += up(Cg, Cw)
        for m0 in range(0, Mg, Mw):
            acc = [0] * n
            resp += 1
            O = H * W * (Cw - 1) + W * (h - 1) + w - 1
            for c0 in range(0, Cg, Cw):
                x = [0] * n
                k = [0] * n
                prods += 1
                for c in range(min(Cw, Cg - c0)):
                    for i, j in itertools.product(range(H), range(W)):
                        x[c * H * W + i * W + j] = Y[g * Cg + c0 + c, i, j]
                    for mm in range(min(Mw, Mg - m0)):
                        for i, j in itertools.product(range(h), range(w)):
                            k[O + mm * Cw * H * W - c * H * W - i * W - j] = K[g * Mg + m0 + mm, c0 + c, i, j]
                acc = [(a + b) % t for a, b in zip(acc, nega(x, k, n, t))]
            for mm in range(min(Mw, Mg - m0)):
                for i, j in itertools.product(range(oh), range(ow)):
                    out[g * Mg + m0 + mm, i, j] = acc[O + mm * Cw * H * W + i * s * W + j * s]
    return out, (cts, prods, resp)


def plain_conv(X, K, t, s, pad, G):
    C, H, W = X.shape
    M, Cg, h, w = K.shape
    Y = np.zeros((C, H + 2 * pad, W + 2 * pad), dtype=object)
    Y[:, pad:pad + H, pad:pad + W] = X
    oh, ow = (H + 2 * pad - h) // s + 1, (W + 2 * pad - w) // s + 1
    out = np.zeros((M, oh, ow), dtype=object)
    Mg = M // G
    for m in range(M):
        g = m // Mg
        for i, j in itertools.product(range(oh), range(ow)):
            out[m, i, j] = int((Y[g * Cg:(g + 1) * Cg, i * s:i * s + h, j * s:j * s + w] * K[m]).sum()) % t
    return out


if __name__ == "__main__":
    rng = random.Random(1)
    t = 1 << 37
    count = 0
    for m, k, N in itertools.chain(itertools.product(range(1, 6), repeat=3), ((rng.randint(1, 40), rng.randint(1, 40), rng.randint(1, 40)) for _ in range(25))):
        n = 64
        A = [[rng.randrange(t) for _ in range(k)] for _ in range(m)]
        B = [[rng.randrange(-2**14, 2**14) for _ in range(N)] for _ in range(k)]
        ref = [[sum(A[i][q] * B[q][j] for q in range(k)) % t for j in range(N)] for i in range(m)]
        tiles = [(a, 1 << b, c) for a in range(1, 9) for b in range(7) for c in range(1, 9) if n // 2 < a * (1 << b) * c <= n]
        for tile in rng.sample(tiles, 3):
            assert matmul(A, B, n, tile, t, 'left')[0] == ref
            count += 1
    print(count, "matrix products with random tiles exact")
    count = 0
    for _ in range(60):
        G = rng.choice((1, 1, 2, 3))
        C = G * rng.randint(1, 3)
        M = G * rng.randint(1, 3)
        h, w = rng.randint(1, 3), rng.randint(1, 3)
        H, W = rng.randint(3, 6), rng.randint(3, 6)
        s = rng.randint(1, 3)
        pad = rng.randint(0, 2)
        n = 512
        X = np.array([[[rng.randrange(t) for _ in range(W)] for _ in range(H)] for _ in range(C)], dtype=object)
        K = np.array([[[[rng.randrange(-2**14, 2**14) for _ in range(w)] for _ in range(h)] for _ in range(C // G)] for _ in range(M)], dtype=object)
        room = n // ((H + 2 * pad) * (W + 2 * pad))
        Cw = rng.randint(1, min(C // G, room))
        Mw = rng.randint(1, max(1, min(M // G, room // Cw)))
        assert (conv(X, K, n, t, s, pad, G, Cw, Mw)[0] == plain_conv(X, K, t, s, pad, G)).all()
        count += 1
    print(count, "convolutions (stride, padding, groups) exact")
