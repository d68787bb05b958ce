"""Largest errors on seeds that no parameter was chosen on (the other files use one fixed seed: their errors are what
the parameters were chosen by, and lower)."""
import os
import numpy as np, common, gelu as G, softmax as S, whole as W
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise


def seed(s):
    r = np.random.default_rng(s)
    for m in (common, G, S, W):
        m.rng = r


fine = dict(F=12, cf=2, fr=18, B=14, g=3, gp=4, fy=15, Fo=12)
near = dict(fine, B=15)
coarse = dict(F=10, cf=2, fr=14, B=10, g=3, gp=3, fy=11, Fo=10)


def data(d, rows):
    r = S.rng
    for sc in (0.0, 0.5, 1, 2, 5):
        yield np.rint(r.normal(0, sc, (rows, d)) * 4096).astype(np.int64)
    X = np.full((rows, d), -40960) - r.integers(0, 99, (rows, d))
    X[:, 0] = 0
    yield X
    X = np.zeros((rows, d), dtype=np.int64)
    X[:, d // 2:] -= 3000
    yield X + r.integers(0, 4096, (rows, 1))


for name, o in (('fine', fine), ('fine B=15', near), ('coarse', coarse)):
    per = []
    for s in range(301, 309 if FULL else 302):
        seed(s)
        per.append(max(S.run(X, **o) for d in ((2, 3, 16, 128, 256) if FULL else (2, 16, 128)) for X in data(d, 1500 if d < 64 else 300)) * 4096)
    assert max(per) < (20 if name == 'coarse' else 2)
    print('softmax', name, 'worst per seed', ['%.2f' % p for p in per], 'all %.2f of 2^-12, %.2f of 2^-8' % (max(per), max(per) / 16))
g, u = G.gelu, G.silu
for nm, f, o in (('A', g, dict(F=12, w=3, k=8, q=0, g=5)), ('B', g, dict(F=12, w=3, k=7, q=5, g=5)), ('C', g, dict(F=12, w=2, k=6, q=5, g=5, fold=True)), ('D', g, dict(F=12, w=3, k=6, q=2, g=2, drop=3, down=2)), ('D nocarry', g, dict(F=12, w=3, k=7, q=0, g=2, drop=3, down=2)),
                 ('C silu', u, dict(F=12, w=4, k=8, q=3, g=4, fold=True)), ('D silu', u, dict(F=12, w=4, k=7, q=2, g=2, drop=3, down=2))):
    per = []
    for s in range(301, 307 if FULL else 302):
        seed(s)
        per.append(G.sim(f, 37, splits=200 if FULL else 40, **o)[0])
    assert max(per) < (16 if 'D' in nm else 2)
    print('gelu', nm, ['%.2f' % p for p in per], 'all %.2f, %.2f/256' % (max(per), max(per) / 16))
for F in (12, 16, 20):
    for name in ('sqrt', 'rsqrt', 'reciprocal', 'ln'):
        m = 0
        for s in range(301, 305 if FULL else 302):
            seed(s)
            xs = (2.0**W.rng.uniform(0, 31, 400000 if FULL else 50000)).astype(np.int64)
            xs = xs[(xs > 0) & (xs < 1 << 31)]
            e, r, w = W.evaluate(name, xs, F)
            ok = np.abs(w) < 2.0**31
            m = max(m, (e[ok] / np.maximum(1, np.abs(w[ok]) * 2.0**-22)).max())
        assert m < 2.5
        print('whole', F, name, 'max(ulp, 2^-22) units %.2f' % m)
