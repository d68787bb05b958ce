//! Rows with a column of their own, again and again.

use prim::Wiped;

/// Which rows of a cluster are solved by which of their three columns, and in which order.
pub(crate) struct Peeled {
    /// Rows and their own columns, 0 to 2, as they were peeled.
    pub order: Wiped<[u32; 2]>,
    /// Where each round ends. What a round peels uses no own column of that round or an earlier one but its own.
    pub rounds: Wiped<usize>,
    /// Rows that are left: they have no column of their own.
    pub core: Wiped<u32>,
}

/// Columns of a cluster under way.
#[derive(Default)]
pub(crate) struct Columns {
    /// Rows that use a column, and the XOR of their numbers.
    users: Wiped<[u32; 2]>,
}

impl Columns {
    /// Peels rows of columns `first..first + count`.
    pub(crate) fn peel(&mut self, rows: &[[u32; 3]], first: u32, count: usize) -> Peeled {
        self.users = Wiped::zeros(count);
        for (i, places) in (0u32..).zip(rows) {
            for place in places {
                let [degree, sum] = &mut self.users[(place - first) as usize];
                (*degree, *sum) = (*degree + 1, *sum ^ i);
            }
        }
        let order = Wiped::from(Vec::with_capacity(rows.len()));
        let mut peeled = Peeled { order, rounds: Wiped::default(), core: Wiped::default() };
        let alone = |(at, users): (u32, &[u32; 2])| (users[0] == 1).then_some(first + at);
        // Room for every column, each of which comes up once: what grows leaves copies behind.
        let [mut front, mut next] = [(); 2].map(|()| Wiped::<u32>::from(Vec::with_capacity(count)));
        front.extend((0..).zip(self.users.iter()).filter_map(alone));
        while !front.is_empty() {
            for own in front.drain(..) {
                let [degree, row] = self.users[(own - first) as usize];
                if degree != 1 {
                    continue; // its row went in this round, by another column
                }
                let places = rows[row as usize];
                let at = places.iter().position(|&place| place == own).expect("a column of the row");
                peeled.order.push([row, at as u32]);
                for place in places {
                    let [degree, sum] = &mut self.users[(place - first) as usize];
                    (*degree, *sum) = (*degree - 1, *sum ^ row);
                    if *degree == 1 {
                        next.push(place);
                    }
                }
            }
            let end = peeled.order.len();
            peeled.rounds.extend_from_slice(&[end]);
            std::mem::swap(&mut front, &mut next);
        }
        if peeled.order.len() < rows.len() {
            let mut gone = Wiped::<u8>::zeros(rows.len());
            peeled.order.iter().for_each(|[row, _]| gone[*row as usize] = 1);
            peeled.core.reserve(rows.len() - peeled.order.len());
            let left = (0..).zip(gone.iter()).filter_map(|(row, gone)| (*gone == 0).then_some(row));
            peeled.core.extend(left);
        }
        peeled
    }
}
