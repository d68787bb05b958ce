"""GELU and sigmoid in at most three rounds online: bills; errors of the tables."""
from common import *
from gelu import gelu
def sig(x): return 1 / (1 + np.exp(-x))


def table_error(f, w, n, F=12):
    """One entry for [H, H+2) 2^s, n index bits, domain 2^w wide about 0, any split."""
    s = w + F - n
    x = np.arange(-(1 << w + F - 1), (1 << w + F - 1))
    worst = 0
    for borrow in (0, 1):
        H = ((x >> s) - borrow) if s else x
        ok = ((x - (H << s)) <= 2 * (2**s - 1))
        c = ((H << s) + (2**s - 1 if s else 0)) / 2.0**F
        worst = max(worst, np.abs(np.rint(f(c) * 2**F) - f(x / 2.0**F) * 2**F)[ok].max())
    return worst


def ar(n, l, k):
    e = k.bit_length() - 1
    return Bill(2 * n + k - 1 + 1, 256 * (n - e) + 4 * k * l - 2 * k + 2 + (k - 1) * l + 2 * (k - e - 1) + n * (n - 1) // 2, 2 * n, 1)


def sides(bits, digits):
    """All digits are opened at once (their one-hots), then products of up to four of their bits in one more round."""
    one = sum((doubling(d, d + 1) for d in digits), Bill())
    op = sum((opening(d) for d in digits), Bill())
    many = {1: 4, 3: 56}[len(digits)]
    wires = {1: 5, 3: 13}[len(digits)]
    return one + Bill(2 * many, 4 * many, op.on + 2 * wires, 0)


if __name__ == '__main__':
    l = 37
    for f, w, ns in ((gelu, 3, (15, 14, 13, 12, 11, 10)), (sig, 5, (15, 14, 13, 12, 11))):
        for n in ns:
            e = table_error(f, w, n)
            assert e < 2.3 * 2**max(0, 14 - n) + .1
            print(f'{f.__name__ if f is gelu else "sigmoid":8s} 2^{n} entries over {2**w}: error {e:.2f} of 2^-12 ({e/16:.2f} of 2^-8) table {tree(n, n+1)}')
    for what, n in (('2 ulp', 14), ('2^-8', 11)):
        for rng_, dig, ring in (('all 37 bits', (8, 7, 7), 37), ('|x| < 64', (5,), 37)):
            t = tree(n, n + 1) + opening(n) + reading([l]) + sides(22, dig) + mux(l) + mux(l)
            t.rounds = 3
            assert round(t.bytes) == {('2 ulp', 37): 524, ('2 ulp', 37.5): 350, ('2^-8', 37): 422, ('2^-8', 37.5): 248}[what, 37 if len(dig) > 1 else 37.5]
            print('GELU', what, rng_, t)
    for what, n, w in (('|x| < 8, 2 ulp', 15, 4), ('|x| < 8, 2^-8', 13, 4), ('|x| < 32, 2^-8', 15, 6)):
        print('GELU, the whole ring in one table,', what, f'error {table_error(gelu, w, n):.2f} of 2^-12', tree(n) + opening(n) + reading([l]), '| one round', ar(n, l, 2))
