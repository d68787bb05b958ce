//! What keys, and lookups in private tables by keys, send: protocols of the golden transcripts of `wire`.

use crate::confidential_thin_views::FEW;
use hushtable::{
    AShare, BShare, Party, Result, Role,
    confidential::{
        copy::{CopyJob, EncryptedCopy, Held, Keys, Lookups, Owner},
        order::{self, Order},
        prf::{Cipher, Key, Prf, PrfJob},
        splut::{SpLutJob, SpLutLookups, SpLutTable},
        spread::Spread,
        thin::{Pace, Table, ThinJob, ThinLookups},
    },
    fss::{Dcf, Dpf},
    gates::Bits,
    onehot::Group,
    permutation::shuffle::Shuffle,
    share::Share,
};
use prim::block::Block;

pub fn keys_of_a_bit<G: Group>(p: &mut Party) -> Result<()> {
    Dpf::<G, _>::prepare_bit(p, 10, 11)?.at(p, &Share::new(10, vec![5; 11])).map(drop)
}

pub fn function(p: &mut Party, cipher: Cipher) -> Result<()> {
    let job = PrfJob { cipher, owner: Role::P0, input_bits: 20, output_bits: 150 };
    let key = (p.role() == Role::P0).then(|| Key::of(cipher, Block(7)));
    let x = Bits::from_share(&BShare::<u32>::new(20, vec![5; 11]));
    Prf::prepare(p, job, 11)?.eval(p, key.as_ref(), &x).map(drop)
}

pub fn in_copy(p: &mut Party, keys: Keys) -> Result<()> {
    let cipher = Cipher::LowMc;
    let job = CopyJob { owner: Role::P1, cipher, keys, row_bits: 20 };
    let owner = Owner::insecure_with_key(job, &[5, 400], &[77, 78], Block(9))?;
    let copy = match p.role() {
        Role::P0 => EncryptedCopy::receive(p, job),
        Role::P1 => owner.send(p).map(|()| owner.copy().clone()),
    }?;
    let held = if p.role() == Role::P1 { Held::Owner(&owner) } else { Held::Copy(&copy) };
    Lookups::prepare(p, job, 11)?.eval(p, held, &[BShare::new(keys.bits(), vec![5; 11])]).map(drop)
}

pub fn sent_whole(p: &mut Party, keys: Keys) -> Result<()> {
    let job = SpLutJob { owner: Role::P1, keys, row_bits: 70 };
    let all: Vec<u128> = (0..1 << keys.bits()).collect();
    let rows: Vec<u64> = all.iter().flat_map(|&key| [77 * key as u64, key as u64 & 63]).collect();
    let table = (p.role() == Role::P1).then(|| SpLutTable::new(job, &all, &rows)).transpose()?;
    let x = BShare::new(keys.bits(), vec![5; 11]);
    SpLutLookups::prepare(p, job, 11)?.eval(p, table.as_ref(), &x).map(drop)
}

/// Keys 0 to 10, or all 0.
pub fn by_ids(p: &mut Party, keys: Keys, distinct: bool) -> Result<()> {
    let table = CopyJob { owner: Role::P1, cipher: Cipher::LowMc, keys, row_bits: 20 };
    let job = ThinJob { table, distinct, pace: Pace::USUAL };
    let rows = (p.role() == Role::P1).then(|| Table::new(table, &[5, 400], &[77, 78])).transpose()?;
    let own = if distinct && p.role() == Role::P0 { (0..11).collect() } else { vec![0; 11] };
    let x = BShare::new(keys.bits(), own);
    ThinLookups::prepare(p, job, rows.as_ref(), 11)?.eval(p, &[x]).map(drop)
}

/// By AES, keys all 0.
pub fn in_few_rounds(p: &mut Party) -> Result<()> {
    let table =
        CopyJob { owner: Role::P0, cipher: Cipher::Aes128, keys: Keys::Dense { bits: 9 }, row_bits: 20 };
    let rows = (p.role() == Role::P0).then(|| Table::new(table, &[5, 400], &[77, 78])).transpose()?;
    let x = BShare::new(9, vec![0; 11]);
    let job = ThinJob { table, distinct: false, pace: FEW };
    ThinLookups::prepare(p, job, rows.as_ref(), 11)?.eval(p, &[x]).map(drop)
}

pub fn shuffled(p: &mut Party) -> Result<()> {
    let columns = [33, 64].map(|bits| BShare::new(bits, vec![5; 11]));
    let (moved, back) = Shuffle::prepare(p, 11, &[33, 64], &[33, 64])?.shuffle(p, &columns)?;
    back.unshuffle(p, &moved).map(drop)
}

pub fn ordered(p: &mut Party) -> Result<()> {
    let own = if p.role() == Role::P0 { (0..11).rev().collect() } else { vec![0; 11] };
    let x = Bits::from_share(&BShare::<u32>::new(9, own));
    Order::prepare(p, 9, 11, order::Pace::USUAL)?.reveal(p, &x).map(drop)
}

pub fn spread(p: &mut Party) -> Result<()> {
    let bits = |run: u64| Bits::new(11, vec![if p.role() == Role::P0 { run } else { 0 }]);
    let runs = [0b101_1010_1110, 0b1100, 0b1000, 0, 0, 0].map(bits);
    let columns = [33, 64].map(|bits| BShare::new(bits, vec![5; 11]));
    Spread::prepare(p, 11, &[33, 64], 4)?.spread(p, &runs, columns.to_vec()).map(drop)
}

pub fn keys_below<G: Group>(p: &mut Party) -> Result<()> {
    let payload = [AShare::new(13, vec![5; 11]), AShare::new(13, vec![6; 11])];
    Dcf::<G, _>::prepare(p, 6, &payload)?.at(p, &Share::new(6, vec![5; 11])).map(drop)
}
