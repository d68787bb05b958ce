"""ROTL end to end: cyclic and XOR index groups, sign trick, MUX by two COTs (paper's and corrected), sizes."""
from common import *
from rotation import pprf_halftree, rr
import sys


def bits_of(seed, n): return [(H(seed, 'leaf', n) >> j) & 1 for j in range(n)]
def xorv(a, b): return [p ^ q for p, q in zip(a, b)]


class OneHot:
    pass


def onehot_rotl(C, S, net, n, delta, group):
    """preprocessing. returns (sC, bC), (sS, bS): bC ^ bS = e_s ; s = sC + sS mod n (cyclic) or sC ^ sS (xor)"""
    leaves, pl, alpha = pprf_halftree(C, S, net, n, delta)
    perm = (lambda v, k: rr(v, -k)) if group == 'cyc' else (lambda v, k: [v[i ^ k] for i in range(n)])
    out = (lambda v, k: rr(v, k)) if group == 'cyc' else (lambda v, k: [v[i ^ k] for i in range(n)])
    sC = rng.randrange(n)
    b = [int(j == sC) for j in range(n)]
    r = [0] * n
    a = [0] * n
    for i in range(n):
        d = bits_of(leaves[i], n)
        r = xorv(r, d)
        a = xorv(a, perm(d, i))
    C.send(S, n, xorv(b, a))
    m = S.recv()
    rS = [0] * n
    aS = [0] * n
    for i in range(n):
        if i == alpha:
            continue
        d = bits_of(pl[i], n)
        rS = xorv(rS, d)
        aS = xorv(aS, perm(d, i))
    y = xorv(out(xorv(m, aS), alpha), rS)
    s = (sC + alpha) % n if group == 'cyc' else sC ^ alpha
    assert xorv(r, y) == [int(j == s) for j in range(n)]
    return (sC, r), (alpha, y)


def cot_half(sender, receiver, net, corr, b, bits, pre):
    """product share of corr (sender, mod 2^bits) times bit b (receiver).
       pre = (r0,r1),(c,rc) random OT. choice correction d=b^c is sent by receiver (1 bit, may be in prep),
       then one 'bits'-bit correction by sender. returns (share_sender, share_receiver)"""
    M = (1 << bits) - 1
    (r0, r1), (c, rc) = pre
    d = receiver['d']             # already exchanged
    x0, x1 = (r0, r1) if d == 0 else (r1, r0)
    corrmsg = (x0 - x1 + corr) & M       # receiver with b: x_b + b*corrmsg = x0 + b*corr ... check below
    return (-x0) & M, corrmsg


def rotl_eval(n, l, group, table, idx, mux='fixed', delta=None, count=None):
    net = Net()
    C = Party('C', net)
    S = Party('S', net)
    delta = delta or (rng.getrandbits(128) | 1)
    (sC, bC), (sS, bS) = onehot_rotl(C, S, net, n, delta, group)
    M = (1 << l) - 1
    # sign (known now): sum = sum bC - sum bS = +-1 ; beta = bit1(C) ^ bit1(S) = 1 iff sum == -1
    sumC = sum(bC) & M
    sumS = (-sum(bS)) & M
    if l >= 2:
        betaC, betaS = (sumC >> 1) & 1, (sumS >> 1) & 1
        assert ((sumC + sumS) & M) in (1, M)
        assert (betaC ^ betaS) == int(((sumC + sumS) & M) == M)
        w = l if mux != 'tight' else l - 1
        pre1 = rot(net, w)   # C sender, S receiver
        pre2 = rot(net, w)   # S sender, C receiver
        dS = betaS ^ pre1[1][0]
        dC = betaC ^ pre2[1][0]
        if mux == 'tight':    # choice corrections in the preprocessing
            swap(C, S, 1, dC, dS)
    net.setphase('online')
    # index shares
    if group == 'cyc':
        iC = rng.randrange(n)
        iS = (idx - iC) % n
        mC, mS = (iC - sC) % n, (iS - sS) % n
        swap(C, S, nbit_len(n), mC, mS)
        m = (mC + mS) % n
        b2C, b2S = rr(bC, m), rr(bS, m)
    else:
        iC = rng.randrange(n)
        iS = idx ^ iC
        swap(C, S, nbit_len(n), iC ^ sC, iS ^ sS)
        m = iC ^ sC ^ iS ^ sS
        b2C = [bC[j ^ m] for j in range(n)]
        b2S = [bS[j ^ m] for j in range(n)]
    assert xorv(b2C, b2S) == [int(j == idx) for j in range(n)]
    zC = sum(x for x, b in zip(table, b2C) if b) & M
    zS = (-sum(x for x, b in zip(table, b2S) if b)) & M
    if l == 1:
        assert (zC + zS) & 1 == table[idx] & 1
        return net
    if mux in ('fixed', 'paper_final', 'paper_draft'):
        # y = beta * w, w = 2z additive. cross terms through two COTs; 2l+2 bits online
        wC, wS = (2 * zC) & M, (2 * zS) & M
        if mux == 'paper_draft':
            bCu, bSu = 1 ^ betaC, betaS
        else:
            bCu, bSu = betaC, betaS
        dS = bSu ^ pre1[1][0]
        dC = bCu ^ pre2[1][0]
        swap(C, S, 1, dC, dS)
        # C sender: correlation wC*(1-2bCu), S choice bSu

        def snd(pre, d, corr):
            (r0, r1), _ = pre
            x0, x1 = (r0, r1) if d == 0 else (r1, r0)   # x_b is what the receiver holds
            return (-x0) & M, (corr + x0 - x1) & M
        sh1, msg1 = snd(pre1, dS, (wC * (1 - 2 * bCu)) & M)
        sh2, msg2 = snd(pre2, dC, (wS * (1 - 2 * bSu)) & M)
        gotC, gotS = swap(C, S, l, msg1, msg2)
        rS_ = (pre1[1][1] + bSu * gotS) & M            # = x0 + b*corr
        rC_ = (pre2[1][1] + bCu * gotC) & M
        yC = (bCu * wC + sh1 + rC_) & M
        yS = (bSu * wS + sh2 + rS_) & M
        assert (yC + yS) & M == ((bCu ^ bSu) * (wC + wS)) & M
        if mux == 'fixed':
            oC, oS = (zC - yC) & M, (zS - yS) & M
        else:
            oC, oS = (yC - zC) & M, (yS - zS) & M
    elif mux == 'tight':
        # z' = tauC*tauS*(zC+zS); C: u=tauC*zC ; need tauS*u = u - 2*betaS*u, product needed mod 2^(l-1)
        M1 = (1 << (l - 1)) - 1
        uC = (zC if not betaC else -zC) & M
        uS = (zS if not betaS else -zS) & M

        def snd(pre, d, corr):
            (r0, r1), _ = pre
            x0, x1 = (r0, r1) if d == 0 else (r1, r0)
            return (-x0) & M1, (corr + x0 - x1) & M1
        sh1, msg1 = snd(pre1, dS, uC & M1)
        sh2, msg2 = snd(pre2, dC, uS & M1)
        gotC, gotS = swap(C, S, l - 1, msg1, msg2)
        pS = (pre1[1][1] + betaS * gotS) & M1
        pC = (pre2[1][1] + betaC * gotC) & M1
        oC = (uC - 2 * sh1 - 2 * pC) & M
        oS = (uS - 2 * sh2 - 2 * pS) & M
    ok = (oC + oS) & M == table[idx] & M
    return net, ok


if __name__ == '__main__':
    for group in ('cyc', 'xor'):
        for n in (2, 4, 8, 16, 32):
            for l in (1, 2, 3, 8, 32, 64):
                table = [rng.getrandbits(l) for _ in range(n)]
                for idx in range(n):
                    for mux in ('fixed', 'tight'):
                        res = rotl_eval(n, l, group, table, idx, mux)
                        if l > 1:
                            assert res[1]
    print('ROTL exhaustive idx, n<=32, l in {1,2,3,8,32,64}, cyclic and xor: ok (fixed and tight mux)')
    for mux in ('paper_final', 'paper_draft'):
        tot = ok = neg = 0
        for _ in range(200):
            n, l = 8, 8
            table = [rng.getrandbits(l) for _ in range(n)]
            idx = rng.randrange(n)
            ok += rotl_eval(n, l, 'cyc', table, idx, mux)[1]
            tot += 1
        assert ok == tot if mux == 'paper_draft' else ok < tot / 20
        print('MUX formula', mux, 'correct', ok, 'of', tot)
    for n, l in ((4, 8), (16, 16), (64, 32), (256, 64)):
        t = [rng.getrandbits(l) for _ in range(n)]
        a, _ = rotl_eval(n, l, 'cyc', t, 3, 'fixed')
        b, _ = rotl_eval(n, l, 'cyc', t, 3, 'tight')
        print(n, l, 'fixed: prep', a.total('prep'), '+', a.rot, 'rOT; online', a.total('online'), 'rounds', a.rounds['online'],
              '| tight: prep', b.total('prep'), '+', b.rot, 'rOT online', b.total('online'), 'rounds', b.rounds['online'], '| dir', dict(b.bits))
