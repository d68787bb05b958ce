//! What the demo prints.

use std::fmt::Write as _;

use crate::demo::example::{BANK, Demo, Found, SHOWN, TELECOM, THRESHOLD, common};

/// Both parties' tables, what they were told, and what came out.
pub fn text(args: &Demo, found: &Found) -> String {
    let Found { means, explained, rows, reports: [join, score] } = found;
    let mut out = format!(
        "A bank and a telecom company know different things about their customers, of whom they have some in common, in\n\
         different orders. Each has the weights of its own columns in a common model of who repays; neither sees the\n\
         other's customers, columns, weights or scores.\n\
         Two processes on this machine, mutual TLS 1.3 over TCP on 127.0.0.1, network: {}.\n\n",
        args.net
    );
    for (who, [data, weights]) in
        [("The bank (P0, listens)", BANK), ("The telecom company (P1, connects)", TELECOM)]
    {
        write!(out, "{who} holds:\n{}", listing(data)).expect("text grows");
        let weights = weights.lines().filter(|line| line.contains('=')).collect::<Vec<_>>().join(", ");
        writeln!(out, "  and the weights {weights}\n").expect("text grows");
    }
    write!(
        out,
        "hushtable join: each has shares of all columns of the {} customers in common, and nobody knows who they are.\n{}\n\
         hushtable stats --mean late_bills --by region: both see, of groups of 10 and more,\n",
        common(rows),
        join.phases.table()
    )
    .expect("text grows");
    means.lines().for_each(|line| writeln!(out, "  {line}").expect("text grows"));
    writeln!(
        out,
        "\nWhat the bank was told before it scored (hushtable explain score --joined)\n{explained}\n"
    )
    .expect("text grows");
    let title = (format!("the bank gets: at least {THRESHOLD}"), "the telecom gets", "in plaintext");
    writeln!(out, "  {:10}{:>27}{:>19}{:>15}", "id", title.0, title.1, title.2).expect("text grows");
    for row in &rows[..SHOWN.min(rows.len())] {
        let plain = row.plain().map_or("not in common".into(), |plain| format!("{plain:.6}"));
        writeln!(out, "  {:10}{:>27}{:>19}{plain:>15}", row.id, row.at_least, "nothing").expect("text grows");
    }
    let right = rows.iter().filter(|row| row.check().is_ok()).count();
    write!(
        out,
        "  ...\n{right} of {} decisions are the same as in plaintext\n\nCost of the scores\n{}",
        rows.len(),
        score.phases.table()
    )
    .expect("text grows");
    out
}

/// The first rows of a file in columns.
fn listing(data: &str) -> String {
    let mut out = String::new();
    for line in data.lines().take(SHOWN + 1) {
        out += "  ";
        for cell in line.split(',') {
            write!(out, "{cell:<21}").expect("text grows");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out + "  ...\n"
}
