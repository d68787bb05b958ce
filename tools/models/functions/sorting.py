"""Sorting, top-k and group-by on shares: counts; sorting by a shuffle and opened comparisons, simulated."""
from common import *


def oddeven(n):                         # comparators of Batcher's odd-even merge sort, any n
    c = 0
    p = 1
    depth = 0
    while p < n:
        k = p
        while k >= 1:
            j = np.arange(k % p, n - k, 2 * k)
            depth += 1
            i = np.arange(k)
            a = (j[:, None] + i[None]).ravel()
            a = a[a < n - k]
            c += int((a // (2 * p) == (a + k) // (2 * p)).sum())
            k //= 2
        p *= 2
    return c, depth


def benes(n):                           # switches for the next power of two, and layers
    d = lg(n)
    return (2 * d - 1) << d - 1, 2 * d - 1


if __name__ == '__main__':
    n = 10**5
    fast = best(compare, 32, 'total')
    least = best(compare, 32)
    print('comparison of 32-bit near numbers', fast, '|', least)
    c, depth = oddeven(n)
    for name, k in (('least time', fast), ('least bytes', least)):
        per = k + mux(33)
        print(f'odd-even merge sort: {c} comparators, {depth} layers, {name}: {c*per.bytes/1e6:.0f} MB, rounds {depth*per.rounds}, {c*per.cots/1e6:.0f} M COT')
    assert c == 6849446
    print('bitonic, 2^17:', 17 * 18 // 2 * (1 << 16), 'comparators')
    s, layers = benes(n)
    for w in (33, 65):
        one = s * (w + 1 + 1) / 8 / 1e6           # a bit known to one party times a shared difference: w bits, a choice, a COT
        print(f'shuffle of {n} rows of {w} bits by both: {2*one:.0f} MB, {2*s/1e6:.1f} M COT, {2*layers} rounds')
    from math import log2
    chase = 3 * (1 << 17) * (128 * 8 + 9 + 33) / 8 / 1e6 * 2
    print(f'the same by punctured PRFs, three layers of 2^9: {chase:.0f} MB')
    # quicksort and search among sorted samples on shuffled keys: comparisons counted

    def quick(a):
        st = [a]
        comps = 0
        depth = 0
        while st:
            nx = []
            depth += 1
            for b in st:
                if len(b) < 2:
                    continue
                p = b[len(b) // 2]
                comps += len(b) - 1
                nx += [b[b < p], b[b > p]]
            st = nx
        return comps, depth

    def sample(n, m):                    # sort m, binary search of the rest, then sort each bucket
        keys = rng.permutation(n)
        S = np.sort(keys[:m])
        c, d = quick(keys[:m])
        rest = keys[m:]
        c += (n - m) * log2(m + 1)
        at = np.searchsorted(S, rest)
        more = 0
        dd = 0
        for b in np.unique(at):
            q = quick(rest[at == b])
            more += q[0]
            dd = max(dd, q[1])
        return c + more, d + lg(m) + dd
    q = quick(rng.permutation(n))
    m = sample(n, 12000)
    for name, (comps, levels) in (('quicksort', q), ('samples of 12000', m)):
        for nm, k in (('least time', fast), ('least bytes', least)):
            assert comps < 2.2e6
            print(f'{name}: {comps/1e6:.2f} M comparisons, {levels} levels, {nm}: {comps*(k.bytes + 0.25)/1e6:.0f} MB, {levels*(k.rounds+1)} rounds, {comps*k.cots/1e6:.0f} M COT')
    # ties by shuffled places SORT but show multiplicities (attacks.py): append an index before the shuffle
    keys = rng.integers(0, 20, 3000)
    perm = rng.permutation(3000)
    sh = keys[perm]
    order_ = sorted(range(3000), key=lambda i: (sh[i], i))
    assert (np.diff(sh[order_]) >= 0).all()
    # per row of group sums
    G, l = 128, 32
    print('group sum a row, key known to one party (punctured tree):', (128 * 6 + l + 7 + 7) / 8, 'B; shared key, tree with the value as payload:',
          Bill(2 * 7 + 2, 256 * 5 + 256 + 4 * l + 21 + 2 * 7 + 2 * (l - 1) * 4, 0, 0).bytes, 'B')
    s, layers = benes(10**6)
    print(f'shuffle of 10^6 rows of 7 bits by both and opened: {2*s*(7+2)/8/1e6:.0f} MB, {2*s/1e6:.0f} M COT')
