//! `--tell-form`: both parties tell how most of their ids look, and end if these can hardly be the same.

use crate::join::rows::Rows;
use apps::ids::Shape;
use hushtable::Party;
use hushtable_columns::failure::Result;

/// What both must ask alike of it.
pub fn field(told: bool) -> (&'static str, String) {
    let told = if told { "told (--tell-form)" } else { "not told (no --tell-form)" };
    ("how most ids look", told.to_owned())
}

/// What `explain` says of it.
pub fn words(rows: &Rows) -> String {
    let shapes: Vec<String> = rows.shapes().iter().map(Shape::to_string).collect();
    format!(
        "how most ids look, in the form that --normalise gives them, and nothing of the others: {} (A a capital letter, \
         a a small one, x another, 9 a digit, * any number of these; several if no pattern has more than half of the ids)",
        shapes.join(" and ")
    )
}

/// Tells the peer how most ids of these rows look, and compares that with what it tells.
pub fn tell(p: &mut Party, rows: &Rows) -> Result<()> {
    for (alike, words) in Shape::tell(p, &rows.shapes(), |rule| format!("--normalise {rule}"))? {
        match alike {
            true => eprintln!("{words}"),
            false => eprintln!("warning: {words}"),
        }
    }
    Ok(())
}
