//! Bytes and rounds are *equal* to the formulas under the protocols' heading "Cost". Doubling has
//! its own file.

use crate::support::onehot::cots_of;
use crate::support::pairs;

use hushtable::{
    Party, Result, Role,
    lut::{Protocol, Table, splut::SpLut},
    net::{Cost, LinkShape, wire_len},
    onehot::{Cyclic, Group, OneHot, Xor},
    ot::{Scheme, base, params},
    session::Session,
    share::{Additive, Share},
};
use pairs::{both, pair, share};

/// Bytes of `count` words of `bits` bits.
fn bytes(count: usize, bits: usize) -> usize {
    (count * bits).div_ceil(8)
}

/// Runs `f` and checks what it cost at this party, given the bytes of the messages from P0 and
/// from P1 as they travel.
fn costs<T>(
    p: &mut Party,
    what: &str,
    (from_p0, from_p1): (u64, u64),
    rounds: u32,
    f: impl FnOnce(&mut Party) -> Result<T>,
) -> Result<T> {
    let (out, cost) = p.metered(f)?;
    let (sent, received) = match p.role() {
        Role::P0 => (from_p0, from_p1),
        Role::P1 => (from_p1, from_p0),
    };
    assert_eq!(cost, Cost { sent, received, rounds }, "{what}, at {:?}", p.role());
    Ok(out)
}

/// Wire bytes of `count` items of `each` bits in messages of at most `piece` items.
fn in_pieces(count: usize, piece: usize, each: usize) -> u64 {
    let full = wire_len(bytes(piece, each)) * (count / piece) as u64;
    full + if !count.is_multiple_of(piece) { wire_len(bytes(count % piece, each)) } else { 0 }
}

#[test]
fn base_ot() {
    let (mut s0, mut s1) = Session::pair_seeded(1, LinkShape::LOOPBACK);
    std::thread::scope(|scope| {
        scope.spawn(|| base::send(&mut s0, 77).unwrap());
        base::receive(&mut s1, &[true; 77]).unwrap();
    });
    // P0's view ends with the answer, P1's when it has sent it.
    let (points, answers) = (wire_len(32), wire_len(32 * 77));
    assert_eq!(s0.take_cost(), Cost { sent: points, received: answers, rounds: 2 });
    assert_eq!(s1.take_cost(), Cost { sent: answers, received: points, rounds: 2 });
}

/// Agreement and offers, with P1's point beside; base OTs with P0 as receiver, small trees, the first OTs, and with
/// these the other direction.
#[test]
fn set_up() {
    const K: usize = 4; // over a link of which nothing is known
    for (scheme, name, k) in [
        (None, "open", K),
        (Some(Scheme::Iknp), "IKNP", 1),
        (Some(Scheme::SoftSpoken2), "SoftSpoken-2", 2),
        (Some(Scheme::SoftSpoken8), "SoftSpoken-8", 8),
        (Some(Scheme::Ferret), "Ferret", 4),
    ] {
        let fields = [("LPN parameter sets", params::digest_text())];
        let agreement = wire_len(fields.iter().map(|(name, value)| 4 + name.len() + value.len()).sum());
        // IKNP has no levels to correct, and sends as much.
        let trees = wire_len(128 / k * 2 * (k - 1) * 16);
        let first_ots = wire_len((128 / k - 1) * 128 / 8);
        let from_p0 = agreement + wire_len(65) + wire_len(32 * 128) + trees;
        let from_p1 = agreement + wire_len(65 + 32) + trees + first_ots + wire_len(128 / 8);
        let (mut p0, mut p1) = pair(2, scheme);
        let cost = (p0.take_cost(), p1.take_cost());
        assert_eq!(cost.0, Cost { sent: from_p0, received: from_p1, rounds: 4 }, "{name}");
        assert_eq!(cost.1, Cost { sent: from_p1, received: from_p0, rounds: 4 }, "{name}");
    }
}

/// Of as many OTs of SoftSpoken as are missing where `stock` holds some: their number, and the messages' wire bytes.
fn soft(want: usize, stock: usize, bits: usize) -> (usize, u64) {
    let made = want.saturating_sub(stock).next_multiple_of(128);
    (made, in_pieces(made, 8192, bits))
}

/// `128 / K - 1` bits an OT, from the receiver, in multiples of 128 OTs and messages of 2^13 at most; no message for
/// what is in stock. Set-up leaves nothing there.
#[test]
fn softspoken_and_iknp() {
    for (scheme, bits) in
        [(Scheme::Iknp, 127), (Scheme::SoftSpoken2, 63), (Scheme::SoftSpoken4, 31), (Scheme::SoftSpoken8, 15)]
    {
        both(pair(3, Some(scheme)), |p| {
            let mut stock = [0, 0];
            for want in [[1usize, 0], [127, 1], [1, 128], [20_000, 1], [0, 30_000], [8192, 8193]] {
                let [(made0, from_p1), (made1, from_p0)] = [0, 1].map(|i| soft(want[i], stock[i], bits));
                let rounds = u32::from((made0, made1) != (0, 0));
                let what = format!("{scheme:?} {want:?}");
                let (send, recv) = (want[p.role() as usize], want[1 - p.role() as usize]);
                let (out, inc) = costs(p, &what, (from_p0, from_p1), rounds, |p| p.cots(send, recv))?;
                assert_eq!((out.len(), inc.len()), (send, recv));
                stock = [stock[0] + made0 - want[0], stock[1] + made1 - want[1]];
            }
            Ok(())
        });
    }
}

/// Both directions of a running Ferret: what is in stock, and which tree comes next.
struct Running {
    set: &'static params::LpnSet,
    stock: [usize; 2],
    tree: [usize; 2],
}

impl Running {
    /// Wire bytes from P0 and from P1 when each takes `want` OTs as sender.
    fn spend(&mut self, want: usize) -> (u64, u64) {
        (self.spend_one(0, want), self.spend_one(1, want))
    }

    /// `depth - 1` blocks a tree, whole trees, 2^13 OTs a message; and when the trees for use are
    /// made, those of the next extension's seeds.
    fn spend_one(&mut self, i: usize, want: usize) -> u64 {
        let (set, mut sent) = (self.set, 0);
        let reserved = set.seeds().div_ceil(1 << set.depth);
        let message = |trees| in_pieces(trees, (1 << 13) >> set.depth, 128 * (set.depth as usize - 1));
        while self.stock[i] < want {
            if self.tree[i] == set.t - reserved {
                sent += message(reserved);
                self.tree[i] = 0;
            }
            let missing = (want - self.stock[i]).div_ceil(1 << set.depth);
            let trees = missing.min(set.t - reserved - self.tree[i]);
            sent += message(trees);
            self.tree[i] += trees;
            self.stock[i] += trees << set.depth;
        }
        self.stock[i] -= want;
        sent
    }
}

/// Set S from SoftSpoken, then M from S. The start of M takes more than one extension of S.
#[test]
fn ferret_sets_s_and_m() {
    both(pair(4, Some(Scheme::Ferret)), |p| {
        let (made, sent) = soft(params::S.seeds(), 0, 31);
        costs(p, "start of S", (sent, sent), 1, |p| p.prepare_ot(1 << 17, 1 << 17))?;
        let mut running = Running { set: &params::S, stock: [made - params::S.seeds(); 2], tree: [0, 0] };
        let take = |p: &mut Party, running: &mut Running, want: usize| {
            let sent = running.spend(want);
            let rounds = u32::from(sent != (0, 0));
            let what = format!("{want} from set {}", running.set.name);
            costs(p, &what, sent, rounds, |p| p.cots(want, want)).map(drop)
        };
        for want in [1, 90_000, 20_000, 65_536] {
            take(p, &mut running, want)?;
        }
        let sent = running.spend(params::M.seeds());
        costs(p, "start of M", sent, 1, |p| p.prepare_ot(1 << 19, 1 << 19))?;
        running = Running { set: &params::M, tree: [0, 0], ..running };
        for want in [300_000, 1] {
            take(p, &mut running, want)?;
        }
        Ok(())
    });
}

/// The lanes of a fork take their seeds from the stock: what makes these is all that is sent, and no lane starts
/// anything.
#[test]
fn lanes_of_a_running_ferret() {
    const LANES: usize = 3;
    both(pair(6, Some(Scheme::Ferret)), |p| {
        let set = &params::S;
        let left = set.seeds().next_multiple_of(128) - set.seeds();
        p.prepare_ot(1 << 17, 1 << 17)?;
        p.take_cost();
        let mut running = Running { set, stock: [left; 2], tree: [0, 0] };
        let seeds = running.spend(LANES * set.seeds());
        let agreement = wire_len(4 + "lanes".len() + 1);
        let mut lanes = costs(p, "fork", (agreement + seeds.0, agreement + seeds.1), 2, |p| p.fork(LANES))?;
        let (sender, receiver) = p.cots_in_stock();
        let me = p.role() as usize;
        assert_eq!([sender, receiver], [running.stock[me], running.stock[1 - me]], "seeds leave the stock");
        for lane in &mut lanes {
            costs(lane, "a lane's start", (0, 0), 0, |lane| lane.prepare_ot(1 << 17, 1 << 17))?;
            let sent = Running { set, stock: [0, 0], tree: [0, 0] }.spend(5000);
            costs(lane, "a lane's OTs", sent, 1, |lane| lane.cots(5000, 5000)).map(drop)?;
        }
        Ok(())
    });
}

/// Runs a batch of 1, an odd one and one of 5000 or so on one pair.
fn with_batches(seed: u64, large: usize, f: impl Fn(&mut Party, usize) -> Result<()> + Send + Sync + Copy) {
    both(pair(seed, None), |p| [1, 7, large].into_iter().try_for_each(|batch| f(p, batch)));
}

/// A one-hot batch of `2^n` entries whose OTs are in stock.
fn rotl<G: Group>(p: &mut Party, n: u32, batch: usize) -> Result<OneHot<G>> {
    let (send, recv) = cots_of::<G>(Protocol::Rotl, p.role(), n, batch);
    p.stock_cots(send, recv)?;
    OneHot::<G>::rotl(p, n, batch)
}

/// `128 (d - 1) + n` bits a lookup from the holder, P0 for the first half.
#[test]
fn rotl_offline() {
    fn check<G: Group>(p: &mut Party, d: u32, batch: usize) -> Result<()> {
        let piece = 1 << (17 - d).min(9);
        let sent = |lookups| in_pieces(lookups, piece, 128 * (d as usize - 1) + (1 << d));
        let sent = (sent(batch.div_ceil(2)), sent(batch / 2));
        let (send, recv) = cots_of::<G>(Protocol::Rotl, p.role(), d, batch);
        p.stock_cots(send, recv)?;
        let what = format!("ROTL, {} x 2^{d} entries, {}", batch, G::NAME);
        costs(p, &what, sent, 1, |p| OneHot::<G>::rotl(p, d, batch)).map(drop)
    }
    with_batches(5, 5000, |p, batch| {
        [1, 2, 3, 6, 8].into_iter().try_for_each(|d| check::<Cyclic>(p, d, batch))?;
        check::<Xor>(p, 5, batch)
    });
    with_batches(6, 70, |p, batch| check::<Xor>(p, 12, batch));
}

/// One bit each way offline; online `d` bits each way, then `l - 1` for each column. Outputs of
/// one bit need no sign: nothing offline, and one round.
#[test]
fn reading_a_one_hot() {
    fn check<G: Group>(p: &mut Party, d: u32, l: u32, batch: usize) -> Result<()> {
        let what = format!("{batch} x 2^{d} entries of {l} bits, {}", G::NAME);
        let same = |sent| (sent, sent);
        let table = Table::<u64>::tabulate(d, l, |x| x)?;
        let column = table.columns()[0].clone();
        let wide = Table::vector(l, vec![column; 3])?;
        let x: Share<G::Kind, u32> = share(p.role(), d, &vec![1; batch], 9);
        let index = wire_len(bytes(batch, d as usize));

        let onehot = rotl::<G>(p, d, batch)?;
        costs(p, &what, same(index), 1, |p| onehot.lookup_xor(p, &table, &x))?;
        let onehot = rotl::<G>(p, d, batch)?;
        costs(p, &what, same(index), 1, |p| onehot.lookup_xor_all(p, &[&table, &wide], &x))?;

        let onehot = rotl::<G>(p, d, batch)?;
        p.stock_cots(batch, batch)?;
        let (offline, signs) = (wire_len(bytes(batch, 1)), wire_len(4 * bytes(batch, l as usize - 1)));
        let (offline, online, rounds) = if l == 1 { (0, index, 1) } else { (offline, index + signs, 2) };
        let signed = costs(p, &what, same(offline), rounds - 1, |p| onehot.signed(p, &[l; 4]))?;
        costs(p, &what, same(online), rounds, |p| signed.lookup_all(p, &[&wide, &table], &x))?;
        Ok(())
    }
    with_batches(7, 5000, |p, batch| {
        check::<Cyclic>(p, 1, 64, batch)?;
        check::<Cyclic>(p, 5, 13, batch)?;
        check::<Cyclic>(p, 4, 1, batch)?;
        check::<Xor>(p, 7, 8, batch)
    });
}

/// `d` bits offline if the length is no power of two; online `d + (n - 1) l` bits.
#[test]
fn splut() {
    fn check(p: &mut Party, n: usize, l: u32, batch: usize) -> Result<()> {
        let what = format!("SP-LUT, {batch} x {n} entries of {l} bits");
        let d = n.next_power_of_two().ilog2() as usize;
        let (p0, p1) = (batch.div_ceil(2), batch / 2); // lookups that each sends
        let (send, recv) = SpLut::<Cyclic>::cots(p.role(), n, batch);
        p.stock_cots(send, recv)?;
        let as_receiver = (wire_len(bytes(p1, d)), wire_len(bytes(p0, d)));
        let (offline, rounds) = if n.is_power_of_two() { ((0, 0), 0) } else { (as_receiver, 1) };
        let material = costs(p, &what, offline, rounds, |p| SpLut::<Cyclic>::prepare(p, n, batch))?;

        let entries = vec![1u32; n];
        let table = Table::new(l, entries)?;
        let piece = ((8 << 18) / (n * l as usize)).max(1);
        let masked = |lookups| in_pieces(lookups, piece, (n - 1) * l as usize);
        let online = (as_receiver.0 + masked(p0), as_receiver.1 + masked(p1));
        let x = vec![1; batch];
        costs(p, &what, online, 2, |p| material.lookup_mod(p, &table, &x)).map(drop)
    }
    with_batches(8, 5000, |p, batch| {
        [(2, 1), (3, 5), (16, 32), (100, 7), (256, 8)]
            .into_iter()
            .try_for_each(|(n, l)| check(p, n, l, batch))
    });
}

/// Opening is `bits` a value each way, revealing to one party only one way.
#[test]
fn opening() {
    with_batches(9, 5000, |p, batch| {
        let x: hushtable::AShare<u32> = share(p.role(), 21, &vec![5; batch], 9);
        let message = wire_len(bytes(batch, 21));
        costs(p, "open", (message, message), 1, |p| p.open(&x))?;
        costs(p, "reveal", (message, 0), 1, |p| p.reveal(&x, Role::P1))?;
        costs(p, "barrier", (wire_len(1), wire_len(1)), 1, |p| p.barrier())
    });
}

/// Opening in pieces: a message for each `2^20` bits, whole bytes, in 1 round; values in order, and to whom they
/// are named only.
#[test]
fn opening_in_pieces() {
    let values =
        |count: usize| (0..count as u32).map(|i| i.wrapping_mul(0x9E37_79B9) >> 11).collect::<Vec<_>>();
    both(pair(12, None), |p| {
        for count in [0, 1, 49_928, 49_929, 200_000] {
            let values = values(count);
            let x: hushtable::AShare<u32> = share(p.role(), 21, &values, 9);
            let pieces = (0..count.max(1)).step_by(49_928); // the most in 2^20 bits and whole bytes
            let message = pieces.map(|from| wire_len(bytes(count.min(from + 49_928) - from, 21))).sum();
            for (to, sent) in
                [(None, (message, message)), (Some(Role::P0), (0, message)), (Some(Role::P1), (message, 0))]
            {
                let what = format!("{count} to {to:?}");
                let mut opened = Vec::new();
                costs(p, &what, sent, 1, |p| {
                    p.open_words::<Additive, u32>(to, 21, x.words(), |values| {
                        opened.extend_from_slice(values)
                    })
                })?;
                let gets = to.is_none_or(|to| to == p.role());
                assert!(opened == if gets { values.clone() } else { Vec::new() }, "{what}");
            }
        }
        Ok(())
    });
}
