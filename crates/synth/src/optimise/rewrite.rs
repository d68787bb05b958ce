//! Rewriting: a gate of few wires is made again where that takes fewer ANDs, or as many and fewer XORs.

use logic::{Form, Lit};

use super::{
    cuts::{Cut, merged},
    net::{Kind, Net},
    recipes::{INPUTS, MOST, Recipe, recipe, reduced},
};

/// The form after each gate was looked at once. With `keep` no gate waits for more ANDs than before.
pub fn once(form: &Form, keep: bool) -> Form {
    let mut net = Net::new(form);
    let mut cuts: Vec<Vec<Cut>> = Vec::new();
    for number in 0..form.wires() as u32 {
        visit(&mut net, &mut cuts, number, keep);
    }
    net.form(form.name())
}

fn visit(net: &mut Net, cuts: &mut Vec<Vec<Cut>>, number: u32, keep: bool) {
    let node = net.nodes[number as usize];
    cuts.resize(net.nodes.len().max(cuts.len()), Vec::new());
    if node.kind == Kind::Input {
        // The constant has no leaf.
        cuts[number as usize] = vec![Cut::of(number)];
        return;
    }
    if node.reads == 0 || net.now(Lit::of(number)) != Lit::of(number) {
        return;
    }
    let (a, b) = net.sides(number);
    for side in [a, b] {
        known(net, cuts, side.wire());
    }
    let (ma, mb) = (a.mask() as u32, b.mask() as u32);
    let (left, right) = (&cuts[a.wire() as usize], &cuts[b.wire() as usize]);
    let made = match node.kind {
        Kind::And => merged(number, left, right, |x, y| (x ^ ma) & (y ^ mb)),
        _ => merged(number, left, right, |x, y| x ^ ma ^ y ^ mb),
    };
    for cut in &made[..made.len() - 1] {
        if improve(net, number, cut, keep) {
            return;
        }
    }
    cuts[number as usize] = made;
}

/// Gives a gate that was made in another's place the cut of itself.
fn known(net: &Net, cuts: &mut Vec<Vec<Cut>>, wire: u32) {
    cuts.resize(net.nodes.len().max(cuts.len()), Vec::new());
    let cuts = &mut cuts[wire as usize];
    if cuts.is_empty() {
        cuts.push(Cut::of(wire));
    }
}

/// Whether a gate was replaced by what its cut says.
fn improve(net: &mut Net, number: u32, cut: &Cut, keep: bool) -> bool {
    let (rest, sum) = reduced(cut.table);
    let Some(recipe) = recipe(rest) else { return false };
    let leaves = cut.leaves();
    let dead = |leaf: &u32| *leaf != 0 && net.nodes[*leaf as usize].reads == 0;
    if leaves.iter().any(dead) || leaves.iter().any(|leaf| net.now(Lit::of(*leaf)) != Lit::of(*leaf)) {
        return false;
    }
    leaves.iter().for_each(|leaf| net.nodes[*leaf as usize].reads += 1);
    let readers = std::mem::take(&mut net.nodes[number as usize].reads);
    let freed = net.drop_sides(number);
    let mut better = false;
    if recipe.ands as i32 <= freed.0 {
        let lit = build(net, leaves, recipe, sum);
        let added = net.take(lit, number);
        better = added.is_some_and(|added| {
            (freed.0 - added.0, freed.1 - added.1) > (0, 0)
                && (!keep || net.level(lit) <= net.nodes[number as usize].level)
        });
        if better {
            net.replace(number, lit, readers - 1);
        } else {
            net.drop(lit);
        }
    }
    if !better {
        // All as it was.
        net.take(Lit::of(number), u32::MAX);
        net.nodes[number as usize].reads = readers;
    }
    leaves.iter().for_each(|leaf| {
        net.drop(Lit::of(*leaf));
    });
    better
}

/// A function of the leaves: a recipe, and the sum of inputs that [`reduced`] took away.
fn build(net: &mut Net, leaves: &[u32], recipe: &Recipe, sum: u8) -> Lit {
    let mut terms = [Lit::FALSE; MOST + 3];
    let mut tables = [0; MOST + 3];
    for (i, leaf) in leaves.iter().enumerate() {
        terms[i] = Lit::of(*leaf);
    }
    tables[..MOST].copy_from_slice(&INPUTS);
    for (i, (u, v)) in recipe.steps[..recipe.ands].iter().enumerate() {
        let [(u, tu), (v, tv)] = [*u, *v].map(|side| sum_of(net, &terms, &tables, side));
        terms[MOST + i] = net.and(u, v);
        tables[MOST + i] = tu & tv;
    }
    let (ands, table) = sum_of(net, &terms, &tables, recipe.sum << MOST);
    // What the ANDs sum to agrees with the function up to a sum of inputs.
    let (_, more) = reduced(table);
    let inputs = sum ^ more;
    let (linear, _) = sum_of(net, &terms, &tables, inputs & ((1 << MOST) - 1));
    net.xor(ands, linear).negate_if(inputs >> MOST & 1 == 1)
}

/// A sum of terms, and its table.
fn sum_of(net: &mut Net, terms: &[Lit], tables: &[u32], which: u8) -> (Lit, u32) {
    let mut sum = (Lit::FALSE, 0);
    for (i, term) in terms.iter().enumerate().filter(|(i, _)| which >> i & 1 == 1) {
        sum = (net.xor(sum.0, *term), sum.1 ^ tables[i]);
    }
    sum
}
