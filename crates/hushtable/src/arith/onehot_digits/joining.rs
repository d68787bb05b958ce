//! Step 3: neighbours joined by lookups.

use super::super::tree::Order;
use crate::{
    error::Result,
    gates::Bits,
    lut::{
        Table,
        read::{Read, many},
    },
    onehot::{OneHot, Xor},
    session::Session,
    share::BShare,
};

/// How many are joined in each group of a level, from the lowest digits on.
pub(super) fn levels(digits: usize, join: u32) -> Vec<Vec<usize>> {
    let (mut count, mut levels) = (digits, Vec::new());
    while count > 1 {
        let groups = count.div_ceil(join as usize);
        // The lowest group has the shorter index: it gets what is left.
        levels.push((0..groups).map(|i| count / groups + usize::from(i < count % groups)).collect());
        count = groups;
    }
    levels
}

/// Index bits of the groups of a level that are joined.
pub(super) fn index_bits(level: &[usize]) -> impl Iterator<Item = u32> {
    let bits = |(i, &k): (usize, &usize)| 2 * (k as u32 - 1) + u32::from(i > 0);
    level.iter().enumerate().filter(|(_, k)| **k > 1).map(bits)
}

/// Shares of `less` of all digits.
///
/// # Errors
/// Those of the channel.
pub(super) fn join(
    s: &mut Session,
    mut orders: Vec<Order>,
    join: u32,
    joins: Vec<OneHot<Xor>>,
) -> Result<Bits> {
    let mut joins = joins.into_iter();
    for level in levels(orders.len(), join) {
        orders = joined(s, orders, &level, &mut joins)?;
    }
    Ok(orders.swap_remove(0).less)
}

/// A level: 1 round.
fn joined(
    s: &mut Session,
    orders: Vec<Order>,
    level: &[usize],
    joins: &mut impl Iterator<Item = OneHot<Xor>>,
) -> Result<Vec<Order>> {
    let mut orders = orders.into_iter();
    let groups: Vec<Vec<Order>> = level.iter().map(|&k| orders.by_ref().take(k).collect()).collect();
    let mut indices = Vec::new();
    for (i, group) in groups.iter().enumerate().filter(|(_, group)| group.len() > 1) {
        indices.push((index(group, i > 0)?, table(group.len(), i > 0)?));
    }
    let tables: Vec<[&Table<u8>; 1]> = indices.iter().map(|(_, table)| [table]).collect();
    let lookups = indices.iter().zip(&tables).zip(joins);
    let reads = lookups.map(|(((x, _), tables), material)| Read { material, tables, x });
    let mut read = many::lookup_xor(s, reads.collect())?.into_iter();
    let join = |mut group: Vec<Order>| {
        if group.len() == 1 {
            return group.swap_remove(0);
        }
        let columns = read.next().expect("a lookup for each group that is joined");
        let mut planes = columns.iter().flat_map(Bits::from_share);
        let below = planes.next().expect("whether one below is less");
        let top = group.pop().expect("the highest of the group");
        Order { less: &top.less ^ &below, equal: planes.next() }
    };
    Ok(groups.into_iter().map(join).collect())
}

/// The index of a group: the lower `less`, the upper `equal`, and the lowest where it counts.
fn index(group: &[Order], whole: bool) -> Result<BShare<u32>> {
    let equal = |order: &Order| order.equal.clone().expect("equality of all but the lowest digits");
    let less = group[..group.len() - 1].iter().map(|order| order.less.clone());
    let upper = group[1..].iter().map(equal);
    let lowest = group[..usize::from(whole)].iter().map(equal);
    Bits::to_share(&less.chain(upper).chain(lowest).collect::<Vec<_>>())
}

/// Bit 0: one of the lower ones is less, and all above it are equal. Bit 1: all are equal.
fn table(k: usize, whole: bool) -> Result<Table<u8>> {
    let below = k - 1;
    let entry = |x: u64| {
        let (less, equal) = (x & ((1 << below) - 1), x >> below);
        let upper = |j: usize| equal >> j & ((1 << (below - j)) - 1) == (1 << (below - j)) - 1;
        let found = (0..below).filter(|&j| less >> j & 1 == 1 && upper(j)).count() as u64 & 1;
        let all = upper(0) && equal >> below & 1 == 1;
        found | u64::from(all) << 1
    };
    Table::tabulate(2 * below as u32 + u32::from(whole), 1 + u32::from(whole), entry)
}
